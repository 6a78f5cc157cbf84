import { execFile } from 'node:child_process'
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  beginEnd,
  endPartition,
  listPartitions,
  proveEnd,
} from '#features/audit/partition-store.ts'
import { firstIdAt } from '#kernel/ids.ts'
import type { Database } from '#platform/db/database.ts'
import { openDatabase } from '#platform/db/open-database.ts'
import { migratePostgres } from '#platform/db/postgres/migrate-postgres.ts'
import { freePort } from '#test/support/free-port.ts'
import { absenceOf, root, run } from './tools.ts'

const exec = promisify(execFile)
const log = pino({ level: 'silent' })
/** Debian's package; PostgreSQL refuses to run as root. */
const servers = '/usr/lib/postgresql'
const nobody = { uid: 65_534, gid: 65_534 }

/** Without pgvector, which Debian's PostgreSQL lacks. */
describe.skipIf(absenceOf(['pg_dump', 'pg_restore', servers]) !== null)('back-up.sh', () => {
  let folder: string
  let bin: string
  let port: number
  let environment: Record<string, string>

  const backUp = (...args: readonly string[]) =>
    run('sh', [join(root, 'deploy/back-up.sh'), ...args], environment)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-back-up-'))
    await chown(folder, nobody.uid, nobody.gid)
    const versions = await readdir(servers)
    bin = join(servers, versions.toSorted((a, b) => Number(a) - Number(b)).at(-1) ?? '', 'bin')
    port = await freePort()
    const data = join(folder, 'data')
    await exec(join(bin, 'initdb'), ['-D', data, '-U', 'parley', '-A', 'trust'], nobody)
    const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`
    const start = ['-D', data, '-l', join(folder, 'log'), '-o', settings, '-w', 'start']
    await exec(join(bin, 'pg_ctl'), start, nobody)
    environment = {
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: 'parley',
      PGDATABASE: 'parley',
      BACKUP_FOLDER: await mkdtemp(join(folder, 'backups-')),
    }
    await run('createdb', [], environment)
  })

  afterAll(async () => {
    await exec(join(bin, 'pg_ctl'), ['-D', join(folder, 'data'), '-m', 'fast', 'stop'], nobody)
    await rm(folder, { recursive: true, force: true })
  })

  test('restores an audit log with partitions, and keeps the database if a backup is damaged', async () => {
    const databaseUrl = `postgres://parley@127.0.0.1:${port}/parley`
    const settings = { dataDir: folder, databaseUrl, databasePoolSize: 2 }
    const stateOf = async () => {
      await migratePostgres({ url: databaseUrl, log })
      return await using(settings, async ({ read }) => ({
        events: await read.selectFrom('audit_events').selectAll().orderBy('id').execute(),
        partitions: await listPartitions(read),
      }))
    }
    await migratePostgres({ url: databaseUrl, log })
    await using(settings, grow)
    const before = await stateOf()
    expect(before.partitions).toHaveLength(2)
    await backUp('once')
    const [name = ''] = await readdir(environment.BACKUP_FOLDER ?? '')
    const file = join(environment.BACKUP_FOLDER ?? '', name)
    await using(settings, (db) => record(db, Date.UTC(2199, 0, 3)))
    await backUp('restore', file)
    expect(await stateOf()).toEqual(before)
    await expect(run('psql', ['--command=delete from audit_events'], environment)).rejects.toThrow(
      /never changed or deleted/,
    )

    const damaged = join(folder, 'damaged.dump')
    await writeFile(damaged, 'PGDMP')
    await expect(backUp('restore', damaged)).rejects.toThrow(/pg_restore/)
    expect(await stateOf()).toEqual(before)
  })
})

async function using<T>(
  settings: Parameters<typeof openDatabase>[0],
  use: (db: Database) => Promise<T>,
): Promise<T> {
  const db = openDatabase(settings, log)
  try {
    return await use(db)
  } finally {
    await db.close()
  }
}

/** Two partitions with an event each. */
async function grow(db: Database): Promise<void> {
  const [open] = await listPartitions(db.read)
  const month = '2199_01'
  await record(db, Date.UTC(2198, 11, 31))
  await db.write((tx) => beginEnd(tx, open!, month))
  await proveEnd(db.maintain, open!, month)
  await db.write((tx) => endPartition(tx, open!, month))
  await record(db, Date.UTC(2199, 0, 2))
}

async function record(db: Database, time: number): Promise<void> {
  await sql`insert into audit_events (id, face, action, outcome, created_at)
    values (${firstIdAt(time)}, 'job', 'x', 'done', 1)`.execute(db.maintain)
}
