import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/until.ts'

const run = promisify(execFile)
const installed = '/usr/lib/postgresql'

/** PostgreSQL refuses to run as root. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0
const identity = isRoot ? { uid: nobody, gid: nobody } : {}

/** Why there is no complete PostgreSQL here; null if there is one. npm's has no `pg_basebackup`. */
export function completePostgresAbsence(): string | null {
  return binaries() === null ? 'PostgreSQL is not installed: apt-get install -y postgresql' : null
}

function binaries(): string | null {
  const versions = existsSync(installed) ? readdirSync(installed).toSorted() : []
  const folders = versions.map((version) => join(installed, version, 'bin'))
  return folders.findLast((folder) => existsSync(join(folder, 'pg_basebackup'))) ?? null
}

/** A server that copies its write-ahead log to another folder, as docs/backup.md describes it. */
export interface ArchivedPostgres {
  readonly url: string
  /** A base backup beside the running server. */
  backUp(): Promise<void>
  /** Ends the server and deletes its data, like a machine that is lost. */
  lose(): Promise<void>
  /** Starts a server from the base backup and the archive, as of that time. */
  recover(to: Date): Promise<string>
  /** Ends everything and deletes it. */
  stop(): Promise<void>
}

export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  const bin = binaries()
  if (bin === null) throw new Error(completePostgresAbsence() ?? '')
  const folder = await mkdtemp(join(tmpdir(), 'parley-archived-'))
  await chmod(folder, 0o755)
  const [data, base, archive] = ['data', 'base', 'archive'].map((name) => join(folder, name))
  for (const one of [data, base, archive]) await makeFolder(one ?? '')
  const init = ['-D', data ?? '', '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  await run(join(bin, 'initdb'), init, { ...identity, cwd: folder })
  const [first, second] = [await freePort(), await freePort()]
  const start = (from: string, port: number, settings: readonly string[]) =>
    startServer(join(bin, 'postgres'), { data: from, port, settings })
  let server = await start(data ?? '', first, [
    'archive_mode=on',
    `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`,
  ])
  return {
    url: urlAt(first),
    async backUp() {
      const args = ['-D', base ?? '', '-h', '127.0.0.1', '-p', String(first), '-U', 'postgres']
      await run(join(bin, 'pg_basebackup'), [...args, '--checkpoint=fast'], {
        ...identity,
        cwd: folder,
      })
    },
    async lose() {
      await end(server)
      await rm(data ?? '', { recursive: true })
    },
    async recover(to) {
      await writeFile(join(base ?? '', 'recovery.signal'), '')
      server = await start(base ?? '', second, [
        `restore_command=cp ${archive}/%f %p`,
        // PostgreSQL knows no abbreviations of time zones yet, not even Z.
        `recovery_target_time=${to.toISOString().replace('Z', '+00')}`,
        'recovery_target_action=promote',
        // It is ready only when it takes writes.
        'hot_standby=off',
      ])
      return urlAt(second)
    },
    async stop() {
      await end(server)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const urlAt = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  if (isRoot) await chown(folder, nobody, nobody)
}

async function startServer(
  binary: string,
  { data, port, settings }: { data: string; port: number; settings: readonly string[] },
): Promise<ChildProcess> {
  const all = [...settings, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const args = ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])]
  const server = spawn(binary, args, { ...identity, stdio: 'ignore', cwd: data })
  await until('PostgreSQL is ready', async () => {
    if (server.exitCode !== null) throw new Error('PostgreSQL did not start')
    const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
    return text.trimEnd().endsWith('ready')
  })
  return server
}

/** Without a checkpoint: what is only in memory is lost. */
async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGQUIT')
  await gone
}
