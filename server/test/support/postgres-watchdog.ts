import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'

/**
 * Runs the PostgreSQL of a test run and ends it when the run ends, however that happens: our
 * standard input is a pipe from the run, which closes with it, even after kill -9.
 *
 * On the pipe, `pause` ends the server and `resume` starts it again on the same data; each is
 * answered by the same line when it is done.
 *
 * Arguments: folder to remove in the end, user id ('' for our own), server binary, its arguments.
 */
const [folder = '', uid = '', binary = '', ...serverArguments] = process.argv.slice(2)
const identity = uid === '' ? {} : { uid: Number(uid), gid: Number(uid) }

let server = start()
let isPaused = false

function start() {
  const child = spawn(binary, serverArguments, {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...identity,
  })
  child.on('exit', (code) => {
    if (!isPaused) end(code)
  })
  return child
}

function end(code: number | null): void {
  void rm(folder, { recursive: true, force: true }).then(() => process.exit(code ?? 0))
}

/** At once and without a checkpoint, as a server that crashes: the next start recovers. */
const stop = () => (isPaused ? end(0) : server.kill('SIGQUIT'))

const orders: Readonly<Record<string, () => Promise<void>>> = {
  async pause() {
    isPaused = true
    const exited = once(server, 'exit')
    server.kill('SIGQUIT')
    await exited
  },
  async resume() {
    isPaused = false
    server = start()
  },
}

createInterface({ input: process.stdin })
  .on('line', (line) => void orders[line]?.().then(() => process.stdout.write(`${line}\n`)))
  .on('close', stop)
process.on('SIGINT', () => undefined)
process.on('SIGTERM', stop)
