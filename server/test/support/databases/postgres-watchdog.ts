import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { createInterface } from 'node:readline'

/**
 * Runs the PostgreSQL of a test run and stops it when the run ends, even by kill -9: standard input
 * is a pipe from the run, which closes with it.
 *
 * The commands `pause` (end the server), `resume` (start it on the same data), `freeze` and `thaw`
 * (stop and continue all of its processes) arrive on the pipe. Each is answered with the same line when it is done.
 *
 * Arguments: the folders to remove at the end (joined like PATH), the user id ('' for our own), the server binary, its
 * arguments.
 */
const [folders = '', uid = '', binary = '', ...serverArguments] = process.argv.slice(2)
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
  const removed = folders.split(delimiter).map((path) => rm(path, { recursive: true, force: true }))
  void Promise.all(removed).then(() => process.exit(code ?? 0))
}

/** Stops at once and without a checkpoint, like a crash: the next start recovers. */
const stop = () => {
  if (isPaused) return end(0)
  signalAll('SIGCONT')
  server.kill('SIGQUIT')
}

/** The server gives each connection a process of its own. */
function signalAll(signal: NodeJS.Signals): void {
  const parent = server.pid ?? 0
  const children = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number))
    .flatMap(([pid = 0, of]) => (of === parent ? [pid] : []))
  // The parent first: it must not begin another.
  for (const pid of [parent, ...children]) signalIfRunning(pid, signal)
}

/** A process can end between the list and the signal, just when a run ends and closes its connections. */
function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const orders: Readonly<Record<string, () => Promise<void>>> = {
  async freeze() {
    signalAll('SIGSTOP')
  },
  async thaw() {
    signalAll('SIGCONT')
  },
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
