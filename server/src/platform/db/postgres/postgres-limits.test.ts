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
import { defaultPostgresLimits, type PostgresLimits } from './postgres-limits.ts'

const log = pino({ level: 'silent' })
const unavailable = { code: 'database_unavailable', kind: 'unavailable' }

// Skipped where npm has no binaries for the platform; global-setup.ts explains the fix once.
describe.skipIf(inject('postgresUrl') === '')('limits of PostgreSQL', () => {
  let settings: DatabaseSettings
  const opened: Database[] = []

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
  })
  afterAll(async () => {
    await Promise.all(opened.map((db) => db.close()))
    await dropDatabase(settings)
  })

  function open(limits: Partial<PostgresLimits>, poolSize = 3): Database {
    const url = settings.databaseUrl ?? ''
    const all = { ...defaultPostgresLimits, ...limits }
    const db = openPostgres({ url, poolSize, log, limits: all })
    opened.push(db)
    return db
  }

  const nap = (seconds: number) => sql`select pg_sleep(${seconds}::float8)`

  test.each(['none', 'transaction'] as const)(
    'a unit’s statement or lock that takes too long is reported as unavailable, with pooler %s',
    async (databasePooler) => {
      const db = open({
        databasePooler,
        databaseStatementTimeoutMs: 300,
        databaseLockTimeoutMs: 100,
      })
      await expect(db.write((tx) => nap(5).execute(tx))).rejects.toMatchObject(unavailable)
      const holder = new Client({ connectionString: settings.databaseUrl })
      await holder.connect()
      await holder.query('begin; lock table sequences')
      const add = db.write((tx) =>
        tx.insertInto('sequences').values({ name: 'x', next_value: 0 }).execute(),
      )
      await expect(add).rejects.toMatchObject(unavailable)
      await holder.end()
    },
  )

  test('every kind of connection has its limits', async () => {
    const db = open({ databaseStatementTimeoutMs: 7_000, databaseLockTimeoutMs: 6_000 })
    const show = sql<{ statement: string; lock: string; idle: string; jit: string }>`
      select current_setting('statement_timeout') as statement,
        current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle,
        current_setting('jit') as jit`
    const { rows: unit } = await db.write((tx) => show.execute(tx))
    expect(unit).toEqual([{ statement: '7s', lock: '6s', idle: '1min', jit: 'off' }])
    const { rows: read } = await show.execute(db.read)
    expect(read).toMatchObject([{ statement: '7s', lock: '6s', jit: 'off' }])
    const batched = await db.prepared((on) => show.compile(on)).read({})
    expect(batched).toMatchObject([{ statement: '7s', lock: '1s', jit: 'off' }])
    const { rows: maintained } = await show.execute(db.maintain)
    expect(maintained).toMatchObject([{ statement: '0', lock: '0' }])
  })

  test('behind a pooler, nothing stays in a session: neither names nor settings', async () => {
    const db = open({ databasePooler: 'transaction' })
    const state = sql<{ names: number; isolation: string; lock: string }>`
      select (select count(*) from pg_prepared_statements) as names,
        current_setting('transaction_isolation') as isolation,
        current_setting('lock_timeout') as lock, current_setting('jit') as jit`
    const serializable = { names: 0, isolation: 'serializable', lock: '10s', jit: 'off' }
    const committed = { names: 0, isolation: 'read committed', jit: 'off' }
    const kept = db.prepared((on) => state.compile(on))
    const inUnit = async () => (await db.write((tx) => state.execute(tx))).rows
    for (let n = 0; n < 2; n++) {
      expect(await inUnit()).toEqual([serializable])
      expect(await kept.write({})).toEqual([serializable])
      expect(await kept.read({})).toEqual([{ ...committed, lock: '1s' }])
      expect((await state.execute(db.read)).rows).toEqual([{ ...committed, lock: '10s' }])
    }
  })

  test('behind a pooler, a read ends at its limit and leaves its connection as it was', async () => {
    const limits = { databasePooler: 'transaction', databaseStatementTimeoutMs: 300 } as const
    const db = open(limits, 3)
    await expect(nap(5).execute(db.read)).rejects.toMatchObject(unavailable)
    const failing = sql`select 1 / (select 0)`.execute(db.read)
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    const { rows } = await sql`select ${'a'}::text as a, ${null}::text as b`.execute(db.read)
    expect(rows).toEqual([{ a: 'a', b: null }])
  })

  test('a request that has waited too long in total gets no further statement', async () => {
    const db = open({ databaseRequestTimeoutMs: 600 })
    const request = db.answer(async () => {
      for (let n = 0; n < 20; n++) await nap(0.3).execute(db.read)
    })
    await expect(request).rejects.toMatchObject(unavailable)
    await db.answer(() => nap(0.3).execute(db.read))
  })

  test('a long statement alone is no outage, because the server answers a test', async () => {
    const db = open({ databaseSilenceMs: 200, databaseProbeTimeoutMs: 1_000 })
    await nap(3).execute(db.read)
  })

  test('beyond the bound of the queue, a read is refused at once', async () => {
    const db = open({ databaseMaxWaiting: 2 })
    const reads = Array.from({ length: 8 }, () => nap(0.2).execute(db.read))
    const outcomes = await Promise.allSettled(reads)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(5)
  })
})
