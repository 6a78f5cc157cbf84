import { spawn, type ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach } from 'vitest'
import { temporaryFolder, type Storage } from '#test/support/temporary-folder.ts'

/** The program of this tree. */
export const parleyMain = join(import.meta.dirname, '../../../src/main.ts')

/** The compile cache that `npm start` uses: it halves the start-up time. */
const compiled = join(import.meta.dirname, '../../../../node_modules/.cache/parley')

export type Environment = Readonly<Record<string, string>>

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A running service process, as `npm start` runs it. */
export interface ParleyProcess {
  readonly baseUrl: string
  /** The same with the IP address: on IPv6, `localhost` may reach another program. */
  readonly origin: string
  readonly pid: number
  /** The output until it was ready. */
  readonly banner: string
  /** The start-up time that the service reports. */
  readonly seconds: number
  /** What it has logged so far. */
  log(): string
  signal(name: NodeJS.Signals): void
  finished: Promise<Finished>
}

const running = new Set<ChildProcess>()
const folders: string[] = []

/**
 * Registers a hook that ends every process and removes every folder of a test, even if it failed.
 */
export function cleansUp(): void {
  afterEach(async () => {
    const left = [...running].filter(({ exitCode, signalCode }) => exitCode === null && !signalCode)
    await Promise.all(left.map(kill))
    running.clear()
    const used = folders.splice(0)
    await Promise.all(used.map((folder) => rm(folder, { recursive: true, force: true })))
  })
}

export async function emptyFolder(storage: Storage = 'memory'): Promise<string> {
  const folder = await temporaryFolder('parley-', storage)
  folders.push(folder)
  return folder
}

/** Runs a command to its end, isolated from this machine's configuration. */
export async function parley(
  args: readonly string[],
  environment: Environment,
  stdin = '',
  cwd = process.cwd(),
): Promise<Finished> {
  return finish(launch(args, environment, { stdin, cwd }))
}

/** Runs a command that the test may kill. */
export function beginParley(args: readonly string[], environment: Environment) {
  const child = launch(args, environment, {})
  let output = ''
  child.stdout?.on('data', (piece) => (output += String(piece)))
  return { output: () => output, kill: () => child.kill('SIGKILL'), finished: finish(child) }
}

/**
 * Starts the service on a free port and waits until it reports that it is ready.
 *
 * @param shell runs before the service in its process, for example `ulimit -f 100`
 * @param main the program of another checkout
 */
export async function startParley(
  environment: Environment,
  shell = '',
  main = parleyMain,
): Promise<ParleyProcess> {
  const child = launch(['start'], { PORT: '0', ...environment }, { shell, main })
  let log = ''
  child.stderr?.on('data', (piece) => (log += String(piece)))
  const finished = finish(child)
  const { promise, resolve } = Promise.withResolvers<string>()
  let banner = ''
  child.stdout?.on('data', (piece) => {
    banner += String(piece)
    if (/ready at/.test(banner) && banner.endsWith('\n\n')) resolve(banner)
  })
  const early = finished.then(({ code, stderr }) => {
    throw new Error(`the service ended with ${code} before it was ready: ${stderr}`)
  })
  await Promise.race([promise, early])
  early.catch(() => undefined) // A test may end the service once it is ready.
  const [, baseUrl = '', seconds = ''] = /ready at (\S+) \(([\d.]+) s\)/.exec(banner) ?? []
  return {
    baseUrl,
    origin: baseUrl.replace('localhost', '127.0.0.1'),
    pid: child.pid ?? 0,
    banner,
    seconds: Number(seconds),
    log: () => log,
    signal: (name) => void child.kill(name),
    finished,
  }
}

function launch(
  args: readonly string[],
  environment: Environment,
  { stdin = '', cwd = process.cwd(), shell = '', main = parleyMain },
): ChildProcess {
  const program = [process.execPath, main, ...args]
  const [name = '', ...rest] =
    shell === '' ? program : ['sh', '-c', `${shell}; exec "$0" "$@"`, ...program]
  const child = spawn(name, rest, {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.add(child)
  child.stdin?.end(stdin)
  return child
}

async function finish(child: ChildProcess): Promise<Finished> {
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  const read = (stream: ChildProcess['stdout']) => (stream === null ? '' : text(stream))
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)])
  return { code: await code, stdout, stderr }
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await gone
}
