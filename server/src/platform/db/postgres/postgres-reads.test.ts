import { sql } from 'kysely'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { until } from '#test/support/until.ts'
import type { Database } from '#platform/db/database.ts'
import type { LongReadLimits } from '#platform/db/long-reads.ts'
import { openPostgres } from './open-postgres.ts'
import { defaultPostgresLimits, type PostgresLimits } from './postgres-limits.ts'

const log = pino({ level: 'silent' })

// Skipped where npm has no binaries for the platform; global-setup.ts explains the fix once.
describe.skipIf(inject('postgresUrl') === '')('a long read on PostgreSQL', () => {
  let settings: DatabaseSettings
  /** Sees what the server runs. */
  let observer: Client
  const opened: Database[] = []

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
    observer = new Client({ connectionString: settings.databaseUrl, application_name: 'observer' })
    await observer.connect()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()))
  })
  afterAll(async () => {
    await observer.end()
    await dropDatabase(settings)
  })

  type Limits = Partial<LongReadLimits> & Partial<PostgresLimits>

  function open(given: Limits = {}, poolSize = 20): Database {
    const limits = { ...defaultPostgresLimits, ...given }
    const url = settings.databaseUrl ?? ''
    const db = openPostgres({ url, poolSize, log, limits, readLimits: given })
    opened.push(db)
    return db
  }

  const endless = sql`select pg_sleep(600)`
  const one = sql<{ one: number }>`select 1 as one`
  const errorOf = (read: Promise<unknown>) => read.catch((error: unknown) => error)
  /** Runs code for a person of a workspace who waits for it. */
  const asked = <T>(db: Database, code: () => T, signal = new AbortController().signal, of = 'a') =>
    db.forTenant(of, () => db.forCaller({ signal: () => signal, isBackground: false }, code))

  async function sleeping(): Promise<number> {
    const { rows } = await observer.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state = 'active' and query like '%pg_sleep(600)%'
        and application_name = 'parley'`,
    )
    return rows[0]?.count ?? 0
  }
  const untilSleeping = (count: number) =>
    until(`${count} statements run`, async () => (await sleeping()) === count)

  test.each(['none', 'transaction'] as const)(
    'ends at its deadline, with pooler %s, and the next one runs',
    async (databasePooler) => {
      const db = open({ databasePooler, readTimeoutMs: 300 })
      for (const reader of [db.scan, db.report, db.search]) {
        const read = asked(db, () => endless.execute(reader))
        await expect(read).rejects.toMatchObject({ code: 'read_timed_out', facts: { seconds: 1 } })
      }
      await untilSleeping(0)
      expect(await asked(db, () => one.execute(db.scan))).toEqual({ rows: [{ one: 1 }] })
    },
  )

  test('of background work has a deadline of its own', async () => {
    const db = open({ readTimeoutMs: 60_000, backgroundReadTimeoutMs: 300 })
    await expect(endless.execute(db.scan)).rejects.toMatchObject({ code: 'read_timed_out' })
  })

  test('ends within a second when its caller leaves', async () => {
    const db = open()
    const gone = new AbortController()
    const left = errorOf(asked(db, () => endless.execute(db.scan), gone.signal))
    await untilSleeping(1)
    const leftAt = performance.now()
    gone.abort(new Error('gone'))
    expect(await left).toMatchObject({ code: 'caller_left', cause: { message: 'gone' } })
    await untilSleeping(0)
    expect(performance.now() - leftAt).toBeLessThan(1_000)
    const never = asked(db, () => endless.execute(db.scan), gone.signal)
    await expect(never).rejects.toMatchObject({ code: 'caller_left' })
  })

  test('of one tenant, however many wait, delays neither a search, nor another tenant, nor a job, nor short reads', async () => {
    const db = open()
    const gone = new AbortController()
    const flood = Array.from({ length: 20 }, () =>
      errorOf(asked(db, () => endless.execute(db.scan), gone.signal)),
    )
    const jobs = Array.from({ length: 20 }, () =>
      errorOf(
        db.forCaller({ signal: () => gone.signal, isBackground: true }, () =>
          endless.execute(db.scan),
        ),
      ),
    )
    const searches = Array.from({ length: 20 }, () =>
      errorOf(asked(db, () => endless.execute(db.search), gone.signal)),
    )
    await untilSleeping(5)
    await asked(db, () => one.execute(db.search), undefined, 'b')
    await asked(db, () => one.execute(db.report), undefined, 'b')
    await db.forTenant('b', () => one.execute(db.scan))
    await Promise.all(Array.from({ length: 10 }, () => one.execute(db.read)))
    await db.ping()
    expect(await sleeping()).toBe(5)
    gone.abort()
    for (const ended of await Promise.all([...flood, ...jobs, ...searches]))
      expect(ended).toMatchObject({ code: 'caller_left' })
    await untilSleeping(0)
  })

  test.each([3, 6, 9, 12])(
    'leaves short reads a connection in a pool of %s, if its reads have more than one',
    async (poolSize) => {
      const db = open({ readTimeoutMs: 60_000 }, poolSize)
      const gone = new AbortController()
      const flood = ['a', 'b', 'c', 'd'].flatMap((tenant) =>
        [db.scan, db.search].map((reader) =>
          errorOf(asked(db, () => endless.execute(reader), gone.signal, tenant)),
        ),
      )
      await until('some run', async () => (await sleeping()) > 0)
      if (poolSize > 3) await db.ping()
      gone.abort()
      await Promise.all(flood)
      await db.ping()
    },
  )

  test('is refused when too many of its tenant wait', async () => {
    const db = open({ readers: 1, readsWaiting: 1 })
    const gone = new AbortController()
    const ask = () => asked(db, () => endless.execute(db.scan), gone.signal)
    const waiting = [errorOf(ask()), errorOf(ask())]
    await expect(ask()).rejects.toMatchObject({ code: 'reads_busy' })
    gone.abort()
    await Promise.all(waiting)
  })

  test('that was left at any moment harms no later statement', async () => {
    const db = open()
    const short = sql`select pg_sleep(0.003)`
    for (let n = 0; n < 60; n += 1) {
      const gone = new AbortController()
      const left = errorOf(asked(db, () => short.execute(db.scan), gone.signal))
      setTimeout(() => gone.abort(), n % 12)
      const [ended] = await Promise.all([
        left,
        ...Array.from({ length: 4 }, () => asked(db, () => short.execute(db.scan), undefined, 'b')),
      ])
      if (ended instanceof Error) expect(ended).toMatchObject({ code: 'caller_left' })
    }
  })

  test('ends soon after the database closes', async () => {
    const db = open()
    const reads = [db.scan, db.search, db.read].map((reader) => errorOf(endless.execute(reader)))
    await untilSleeping(3)
    const closedAt = performance.now()
    await Promise.all(opened.splice(0).map((each) => each.close()))
    expect(performance.now() - closedAt).toBeLessThan(4_000)
    for (const ended of await Promise.all(reads))
      expect(ended).toMatchObject({ code: 'database_unavailable' })
    await untilSleeping(0)
  })
})
