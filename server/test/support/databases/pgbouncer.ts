import { execFileSync, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/until.ts'

/** PgBouncer and PostgreSQL refuse to run as root. */
export const nobody = 65_534
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
const paths = `${process.env.PATH ?? ''}:/usr/sbin`

/** Why PgBouncer cannot be started here; null if it can. */
export function pgbouncerAbsence(): string | null {
  try {
    execFileSync('pgbouncer', ['--version'], { env: { PATH: paths }, stdio: 'ignore' })
    return null
  } catch {
    return 'PgBouncer is not installed: apt-get install -y pgbouncer'
  }
}

export interface Pooler {
  /** The same database, through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts a PgBouncer before a server of the tests, with four sessions for each database. */
export async function startPgbouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction',
  settings: readonly string[] = [],
): Promise<Pooler> {
  const url = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'parley-pgbouncer-'))
  await chmod(folder, 0o755)
  const port = await freePort()
  const users = join(folder, 'users.txt')
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(users, `"${url.username}" ""\n`)
  await writeFile(
    file,
    `[databases]
* = host=${url.hostname} port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 4
${settings.join('\n')}
`,
  )
  const child = spawn('pgbouncer', ['-q', file], {
    env: { PATH: paths },
    stdio: 'ignore',
    ...identity,
  })
  await until('PgBouncer listens', () => isListening(port))
  url.port = String(port)
  return {
    url: url.href,
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true })
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}
