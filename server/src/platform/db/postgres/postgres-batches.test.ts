import { sql, type Kysely } from 'kysely'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import type { Database, Value } from '#platform/db/database.ts'
import { openPostgres } from './open-postgres.ts'
import type { Schema } from '#platform/db/schema.ts'

const add = (on: Kysely<Schema>, given: { name: string }) =>
  on.insertInto('sequences').values({ name: given.name, next_value: 0 })

const bump = (on: Kysely<Schema>, given: { name: string }) =>
  sql<{ next_value: number }>`update sequences set next_value = next_value + 1
    where name = ${given.name} returning next_value`.compile(on)

const find = (on: Kysely<Schema>, given: { name: string }) =>
  on.selectFrom('sequences').select('next_value').where('name', '=', given.name)

const transactionOf = (on: Kysely<Schema>, given: { name: string }) =>
  sql<{ id: number }>`insert into sequences (name, next_value)
    values (${given.name}, (pg_current_xact_id()::text)::bigint)
    returning next_value as id`.compile(on)

const addTime = (on: Kysely<Schema>, given: { name: string }) =>
  sql<{ microseconds: number }>`insert into sequences (name, next_value)
    values (${given.name}, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
    returning next_value as microseconds`.compile(on)

const echo = (on: Kysely<Schema>, given: Record<'text' | 'count' | 'bytes' | 'none', Value>) =>
  sql<Record<string, unknown>>`select ${given.text}::text as text, ${given.count}::bigint as count,
    ${given.bytes}::bytea as bytes, ${given.none}::text as none`.compile(on)

const nap = (on: Kysely<Schema>, given: { name: string }) =>
  sql`select ${given.name}::text, pg_sleep(5)`.compile(on)

// Skipped where npm has no binaries for the platform; global-setup.ts explains the fix once.
describe.skipIf(inject('postgresUrl') === '')('statements sent to PostgreSQL together', () => {
  let settings: DatabaseSettings
  let db: Database
  const names = (prefix: string) => Array.from({ length: 40 }, (_, n) => `${prefix} ${n}`)

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
    db = openPostgres({
      url: settings.databaseUrl ?? '',
      poolSize: 6,
      log: pino({ level: 'silent' }),
    })
  })
  afterAll(async () => {
    await db.close()
    await dropDatabase(settings)
  })

  async function onServer<T>(use: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: settings.databaseUrl })
    await client.connect()
    try {
      return await use(client)
    } finally {
      await client.end()
    }
  }

  test('are one transaction, and each gets its own rows', async () => {
    const all = names('together')
    const rows = await Promise.all(
      all.map((name) => db.prepared(transactionOf).writeByKey({ name })),
    )
    expect(new Set(rows.map(([row]) => row?.id)).size).toBe(1)
    await Promise.all(all.slice(0, 20).map((name) => db.prepared(bump).writeByKey({ name })))
    const found = await Promise.all(all.map((name) => db.prepared(find).read({ name })))
    const transaction = rows[0]?.[0]?.id ?? 0
    expect(found).toEqual(all.map((_, n) => [{ next_value: transaction + (n < 20 ? 1 : 0) }]))
  })

  test('accept and return the same values as other statements', async () => {
    const given = {
      text: 'Zoë ☕',
      count: 1_790_000_000_123,
      bytes: Uint8Array.of(0, 255),
      none: null,
    }
    const answers = await Promise.all([
      db.prepared(echo).read(given),
      db.prepared(echo).read({ ...given, count: 9n }),
      db.prepared(echo).writeByKey(given),
    ])
    const expected = { ...given, bytes: Buffer.of(0, 255) }
    expect(answers).toEqual([[expected], [{ ...expected, count: 9 }], [expected]])
  })

  test('run in the order of their keys, so that two batches never deadlock', async () => {
    const asked = names('ordered').toReversed()
    const done = await Promise.all(
      asked.map(async (name) => {
        const [row] = await db.prepared(addTime).writeByKey({ name })
        return { name, at: row?.microseconds ?? 0 }
      }),
    )
    const inTime = done.toSorted((a, b) => a.at - b.at).map(({ name }) => name)
    expect(inTime).toEqual(asked.toSorted())
  })

  test('of up to eight turns share a transaction while another batch runs', async () => {
    await db.prepared(add).writeByKey({ name: 'runs' })
    // On a busy machine, a few turns can take longer than a batch gathers.
    vi.useFakeTimers({ toFake: ['performance'] })
    await onServer(async (client) => {
      await client.query(`begin; update sequences set next_value = 0 where name = 'runs'`)
      const running = db.prepared(bump).writeByKey({ name: 'runs' })
      await turns(2)
      const transactions = await Promise.all(
        names('turn')
          .slice(0, 12)
          .map(async (name, turn) => {
            await turns(turn)
            const [row] = await db.prepared(transactionOf).writeByKey({ name })
            return row?.id
          }),
      )
      expect(new Set(transactions.slice(0, 8)).size).toBe(1)
      expect(transactions.slice(9)).not.toContain(transactions[0])
      await client.query('rollback')
      await running
    }).finally(() => vi.useRealTimers())
  })

  async function turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await new Promise((next) => setImmediate(next))
  }

  test('do not wait for a statement whose row is locked', async () => {
    await Promise.all(names('held').map((name) => db.prepared(add).writeByKey({ name })))
    await onServer(async (client) => {
      await client.query(`begin; update sequences set next_value = 0 where name = 'held 3'`)
      const bumps = names('held').map((name) => db.prepared(bump).writeByKey({ name }))
      await Promise.all(bumps.toSpliced(3, 1))
      await client.query('rollback')
      expect(await bumps[3]).toEqual([{ next_value: 1 }])
    })
  })

  test('are finished before the database closes', async () => {
    const closing = openPostgres({
      url: settings.databaseUrl ?? '',
      poolSize: 6,
      log: pino({ level: 'silent' }),
    })
    // One of them fails, so each statement of its batch runs again alone.
    const added = Promise.allSettled(
      [...names('closing'), 'closing 1'].map((name) => closing.prepared(add).writeByKey({ name })),
    )
    await closing.close()
    const refused = (await added).filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'unique_violation' } }])
    expect(await db.prepared(find).read({ name: 'closing 39' })).toHaveLength(1)
  })

  test('that are lost with their connection each reject with a fault, and later ones run', async () => {
    const lost = Promise.allSettled(
      names('lost').map((name) => db.prepared(nap).writeByKey({ name })),
    )
    await onServer(async (client) => {
      for (let ended = 0; ended === 0;)
        ended = (
          await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event = 'PgSleep'`)
        ).rows.length
    })
    for (const outcome of await lost)
      expect(outcome).toMatchObject({ reason: { code: 'database_unavailable' } })
    await db.prepared(add).writeByKey({ name: 'after the loss' })
    expect(await db.prepared(find).read({ name: 'after the loss' })).toHaveLength(1)
  })
})
