import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'

/**
 * Runs the PostgreSQL of a test run and ends it when the run ends, however that happens: our
 * standard input is a pipe from the run, which closes with it, even after kill -9.
 *
 * Arguments: folder to remove in the end, user id ('' for our own), server binary, its arguments.
 */
const [folder = '', uid = '', binary = '', ...serverArguments] = process.argv.slice(2)
const identity = uid === '' ? {} : { uid: Number(uid), gid: Number(uid) }
const server = spawn(binary, serverArguments, {
  stdio: ['ignore', 'ignore', 'inherit'],
  ...identity,
})

const stop = () => server.kill('SIGQUIT')
process.stdin.resume().on('end', stop).on('close', stop)
process.on('SIGINT', () => undefined)
process.on('SIGTERM', stop)

server.on('exit', (code) => {
  void rm(folder, { recursive: true, force: true }).then(() => process.exit(code ?? 0))
})
