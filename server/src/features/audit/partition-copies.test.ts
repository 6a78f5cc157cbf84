import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '#config'
import { backupDatabase, restoreDatabase } from '#platform/db/backup-database.ts'
import { writeCopyFile } from '#platform/db/copy-file.ts'
import type { Engine } from '#platform/db/database.ts'
import { moveDatabase } from '#platform/db/move/move-database.ts'
import { migratePostgres } from '#platform/db/postgres/migrate-postgres.ts'
import { beginCopy, copyTypes, postgresRows } from '#platform/db/postgres/postgres-copy.ts'
import { withClient } from '#platform/db/postgres/postgres-driver.ts'
import { recordChange } from '#test/support/audit-chain.ts'
import {
  createDatabase,
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { readFixtures } from '#test/support/databases/schema-fixtures.ts'
import { describePartitions } from '#test/support/partitioned-log.ts'

const now = Date.parse('2026-05-06T07:08:09.012Z')
const report = { copied: () => undefined, verified: () => undefined }
const made: DatabaseSettings[] = []
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-partitions-'))
})

afterAll(async () => {
  for (const one of made) await dropDatabase(one)
  await rm(folder, { recursive: true, force: true })
})

async function empty(engine: Engine): Promise<DatabaseSettings> {
  const database = await makeDatabase(engine)
  made.push(database)
  return database
}

function namedAsPartition<T extends { readonly name: string }>(table: T): T {
  return table.name === 'audit_events' ? { ...table, name: 'audit_events_open' } : table
}

describePartitions('copies of an audit log with partitions', (log) => {
  const { fresh, record, month, expire, heads, targets, problems, partitions, openOther } = log

  /** A log with a partition of kept events, one that ended and the open one. */
  const grow = async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    await expire()
    expect((await partitions()).length).toBeGreaterThan(2)
    const facts = { source: log.settings, known: await heads(), events: await targets() }
    await log.instance.end()
    return facts
  }

  const expectWhole = async (
    copy: DatabaseSettings,
    { known, events }: Pick<Awaited<ReturnType<typeof grow>>, 'known' | 'events'>,
  ) => {
    await openOther(copy)
    expect(await targets()).toEqual(events)
    await recordChange(log.instance.ctx, log.ada, 9)
    await record(10, 10, null)
    expect(await problems(known)).toEqual([])
  }

  test.each(['sqlite', 'postgres'] as const)(
    'have all events after a restore in %s',
    async (to) => {
      const grown = await grow()
      const file = join(folder, to)
      await backupDatabase({ ...readConfig({}), ...grown.source }, file)
      const target = await empty(to)
      await restoreDatabase(target, file, { force: false, now })
      await expectWhole(target, grown)
      if (to === 'sqlite') return
      await log.instance.end()
      // In place of the partitions that there are.
      await restoreDatabase(grown.source, file, { force: true, now })
      await expectWhole(grown.source, grown)
      expect(await partitions()).toHaveLength(1)
    },
  )

  test.each(['sqlite', 'postgres'] as const)(
    'have all events in %s, also of a process that names the partition instead of the table',
    async (to) => {
      await fresh()
      await record(1, 5)
      const facts = { known: await heads(), events: await targets() }
      const file = join(folder, `renamed-${to}`)
      const connectionString = log.settings.databaseUrl ?? ''
      await withClient({ connectionString, types: copyTypes }, async (client) => {
        await beginCopy(client)
        const { header, batches } = await postgresRows(client, now)
        await writeCopyFile(file, {
          header: { ...header, tables: header.tables.map(namedAsPartition) },
          async *batches() {
            for await (const { table, rows } of batches())
              yield { table: namedAsPartition({ name: table }).name, rows }
          },
        })
      })
      await log.instance.end()
      const target = await empty(to)
      await restoreDatabase(target, file, { force: false, now })
      await expectWhole(target, facts)
    },
  )

  test('have all events after a move to SQLite and back', async () => {
    const grown = await grow()
    const [there, back] = [await empty('sqlite'), await empty('postgres')]
    await moveDatabase(grown.source, there, { restart: false, now, report })
    await moveDatabase(there, back, { restart: false, now, report })
    await expectWhole(back, grown)
  })

  test('the existing table becomes a partition, and who could read it still can', async () => {
    const database = await createDatabase()
    made.push(database)
    const client = new Client({ connectionString: database.databaseUrl })
    await client.connect()
    const role = `reader_${process.pid}`
    try {
      const before = readFixtures('postgres').findLast(({ version }) => version < 83)
      await client.query(before?.sql ?? '')
      await client.query(`create role ${role}; grant select on audit_events to ${role}`)
      const facts = `select id, relfilenode from audit_events, pg_class where relname = $1 order by id`
      const { rows } = await client.query(facts, ['audit_events'])
      await migratePostgres({ url: database.databaseUrl ?? '', log: pino({ level: 'silent' }) })
      // The same file: nothing was copied.
      expect((await client.query(facts, ['audit_events_open'])).rows).toEqual(rows)
      await client.query(`set role ${role}`)
      expect((await client.query('select 1 from audit_events')).rows).toHaveLength(rows.length)
      await expect(client.query('delete from audit_events')).rejects.toThrow(/permission denied/)
      await client.query('reset role')
      await expect(client.query('delete from audit_events')).rejects.toThrow(
        /never changed or deleted/,
      )
    } finally {
      await client.query(`reset role; drop owned by ${role}; drop role ${role}`)
      await client.end()
    }
  })
})
