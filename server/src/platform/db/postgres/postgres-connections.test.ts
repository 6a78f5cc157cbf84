import { sql } from 'kysely'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import type { Database } from '#platform/db/database.ts'
import { openPostgres } from './open-postgres.ts'

const log = pino({ level: 'silent' })

// Skipped where npm has no binaries for the platform; global-setup.ts explains the fix once.
describe.skipIf(inject('postgresUrl') === '')('connections to PostgreSQL', () => {
  let settings: DatabaseSettings
  let db: Database
  const url = () => settings.databaseUrl ?? ''

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
    db = openPostgres({ url: url(), poolSize: 6, log })
  })
  afterAll(async () => {
    await db.close()
    await dropDatabase(settings)
  })

  const add = (name: string) =>
    db.write((tx) => tx.insertInto('sequences').values({ name, next_value: 0 }).execute())

  /** Ends every connection of the service, as a restart of the server does. */
  async function endConnections(): Promise<void> {
    const client = new Client({ connectionString: url() })
    await client.connect()
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'parley'`)
    await client.end()
  }

  test('that are lost while idle cause no error', async () => {
    await Promise.all(['idle-a', 'idle-b', 'idle-c'].map(add))
    await endConnections()
    // Each connection notifies its pool with an event.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await add('idle-d')
    await db.ping()
  })

  test('that are lost inside a unit reject it with a fault, and the next unit runs', async () => {
    const lost = db.write(async (tx) => {
      await tx.selectFrom('sequences').selectAll().execute()
      await endConnections()
      await tx.insertInto('sequences').values({ name: 'lost', next_value: 0 }).execute()
    })
    await expect(lost).rejects.toMatchObject({ code: 'database_unavailable', kind: 'unavailable' })
    await add('after-the-loss')
  })

  test('whose prepared statements are invalid after a schema change are replaced', async () => {
    const look = () => db.read.selectFrom('meta').selectAll().execute()
    const lookInUnit = () => db.write((tx) => tx.selectFrom('meta').selectAll().execute())
    const kept = db.prepared((on) => on.selectFrom('meta').selectAll())
    const places = [look, lookInUnit, () => kept.read({}), () => kept.writeByKey({})]
    const everywhere = () =>
      Promise.all(Array.from({ length: 12 }, async (_, n) => await places[n % places.length]?.()))
    await everywhere()
    const client = new Client({ connectionString: url() })
    await client.connect()
    await client.query('alter table meta add column note text')
    await everywhere()
    await client.query('alter table meta drop column note')
    await client.end()
    await everywhere()
  })

  test('that cannot be opened are a fault', async () => {
    const nowhere = openPostgres({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 2, log })
    await expect(nowhere.ping()).rejects.toMatchObject({ code: 'database_unavailable' })
    const write = nowhere.write(async () => undefined)
    await expect(write).rejects.toMatchObject({ code: 'database_unavailable' })
    await nowhere.close()
  })

  test('are serializable for writes, even for single statements, but not for reads or writes by key', async () => {
    const isolation = () => sql<{ transaction_isolation: string }>`show transaction_isolation`
    const alone = db.prepared((on) => isolation().compile(on))
    expect(await alone.write({})).toEqual([{ transaction_isolation: 'serializable' }])
    expect(await alone.read({})).toEqual([{ transaction_isolation: 'read committed' }])
    expect(await alone.writeByKey({})).toEqual([{ transaction_isolation: 'read committed' }])
    const { rows } = await db.write((tx) => isolation().execute(tx))
    expect(rows).toEqual([{ transaction_isolation: 'serializable' }])
  })

  test('return counts, sums and arrays of them as numbers', async () => {
    const { rows } = await sql`
      select count(*) as count, sum(1::bigint) as sum, array[1::bigint, 2] as list
      from sequences where name = 'agent_number'`.execute(db.read)
    expect(rows).toEqual([{ count: 1, sum: 1, list: [1, 2] }])
  })

  test('never exceed the pool size', async () => {
    const hold = () => sql`select pg_sleep(0.2)`
    const napping = db.prepared((on) => hold().compile(on))
    const held = Promise.all([
      ...Array.from({ length: 12 }, () => napping.read({})),
      ...Array.from({ length: 12 }, () => napping.writeByKey({})),
      ...Array.from({ length: 12 }, () => hold().execute(db.read)),
      ...Array.from({ length: 12 }, () => db.write((tx) => hold().execute(tx))),
    ])
    await new Promise((resolve) => setTimeout(resolve, 100))
    const client = new Client({ connectionString: url() })
    await client.connect()
    const { rows } = await client.query(`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = 'parley'`)
    await client.end()
    await held
    expect(rows).toEqual([{ count: 6 }])
  })
})
