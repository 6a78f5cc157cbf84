import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { tallies } from '#kernel/tallies.ts'
import {
  postgresAbsence,
  startPostgres,
  type TestPostgres,
} from '#test/support/databases/embedded-postgres.ts'
import { until } from '#test/support/until.ts'
import type { Database } from '#platform/db/database.ts'
import { inspectReplica } from '#platform/db/inspect-replica.ts'
import { migrate, openDatabase } from '#platform/db/open-database.ts'

const maxLagMs = 1_000
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })

/** How many long reads were served by what, while `code` ran. */
async function served(code: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = new Map(tallies.replicaReads.values)
  await code()
  const after = [...tallies.replicaReads.values]
  const grown = after.map(([of, count]) => [of, count - (before.get(of) ?? 0)] as const)
  return Object.fromEntries(grown.filter(([, count]) => count > 0))
}

// Skipped where npm has no binaries for the platform; global-setup.ts explains the fix once.
const isAbsent = inject('postgresUrl') === '' || postgresAbsence() !== null
describe.skipIf(isAbsent)('long reads with a standby of PostgreSQL', () => {
  let primary: TestPostgres
  let standby: TestPostgres
  let dataDir: string
  let db: Database
  let elsewhere: Database

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'parley-replica-'))
    // The standby replays what the primary has flushed.
    primary = await startPostgres({ durable: true })
    const settings = { dataDir, databaseUrl: primary.url, databasePoolSize: 9 }
    await migrate(settings, log)
    standby = await startPostgres({ durable: true, primary })
    const limits = { databaseReadMaxLagMs: maxLagMs }
    db = openDatabase({ ...settings, ...limits, databaseReadUrl: standby.url }, log)
    elsewhere = openDatabase(settings, log)
  })
  afterAll(async () => {
    await Promise.all([db.close(), elsewhere.close()])
    await standby.stop()
    await primary.stop()
    await rm(dataDir, { recursive: true })
  })

  const add = (to: Database, name: string) =>
    to.write((tx) => tx.insertInto('sequences').values({ name, next_value: 0 }).execute())
  const find = async (name: string) => {
    const rows = db.report.selectFrom('sequences').selectAll().where('name', '=', name)
    return (await rows.execute()).length
  }
  const untilUsed = () =>
    until('the standby is used', async () => (await served(() => find('none'))).replica === 1)

  async function onStandby(statement: string): Promise<void> {
    const client = new Client({ connectionString: standby.url })
    await client.connect()
    await client.query(statement)
    await client.end()
  }

  test('are served by it, and other reads and writes by the primary', async () => {
    await untilUsed()
    const isStandby = sql<{ is: boolean }>`select pg_is_in_recovery() as is`
    expect((await isStandby.execute(db.report)).rows).toEqual([{ is: true }])
    for (const reader of [db.read, db.scan, db.search])
      expect((await isStandby.execute(reader)).rows).toEqual([{ is: false }])
  })

  test('contain what this process has just changed in the workspace', async () => {
    await untilUsed()
    for (let n = 0; n < 20; n++)
      await db.forTenant('busy', async () => {
        await add(db, `own-${n}`)
        expect(await find(`own-${n}`)).toBe(1)
        // The process has changed nothing in another workspace.
        expect(await served(() => db.forTenant('quiet', () => find('none')))).toEqual({
          replica: 1,
        })
      })
  })

  test('of one request go no further back once one was served by the primary', async () => {
    await untilUsed()
    const caller = { signal: () => new AbortController().signal, isBackground: false }
    await db.forCaller(caller, async () => {
      await db.forTenant('mine', () => add(db, 'pinning'))
      const first = await served(() => db.forTenant('mine', () => find('pinning')))
      expect(first).toEqual({ changed: 1 })
      expect(await served(() => find('pinning'))).toEqual({ changed: 1 })
    })
    const job = { ...caller, isBackground: true }
    expect(await served(() => db.forCaller(job, () => find('pinning')))).toEqual({ changed: 1 })
  })

  test('are never older than the bound, while the standby is behind or catches up', async () => {
    await untilUsed()
    await onStandby('select pg_wal_replay_pause()')
    await add(elsewhere, 'late')
    const writtenAt = performance.now()
    const stopped = await inspectReplica(primary.url, standby.url, 50)
    expect(stopped.problem).toBe('more than 50 ms behind')
    const outcomes = await served(async () => {
      for (;;) {
        const askedAt = performance.now()
        if ((await find('late')) === 1) break
        expect(askedAt - writtenAt).toBeLessThan(maxLagMs)
      }
    })
    expect(outcomes.behind).toBe(1)
    await onStandby('select pg_wal_replay_resume()')
    await untilUsed()
    const again = await inspectReplica(primary.url, standby.url, 60_000)
    expect(again.problem).toBeNull()
    expect(await find('late')).toBe(1)
  })

  test('never fail while the standby ends their connections, is frozen or is stopped', async () => {
    await untilUsed()
    const ask = () => find('own-0')
    await onStandby(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'parley'`)
    expect(await Promise.all(Array.from({ length: 12 }, ask))).toEqual(Array(12).fill(1))
    await untilUsed()
    for (const [stop, start] of [
      ['freeze', 'thaw'],
      ['pause', 'resume'],
    ] as const) {
      lines.length = 0
      await standby[stop]()
      const began = performance.now()
      expect(await Promise.all(Array.from({ length: 12 }, ask))).toEqual(Array(12).fill(1))
      expect(performance.now() - began).toBeLessThan(5_000)
      const { replica = 0 } = await served(ask)
      expect(replica).toBe(0)
      await standby[start]()
      await untilUsed()
      // One line for the outage, and one after it.
      const said = lines.filter((line) => line.includes('read replica'))
      expect(said).toEqual([
        expect.stringContaining('the read replica is not used'),
        expect.stringContaining('the read replica serves long reads'),
      ])
    }
  })

  test('that are too slow for it are ended, not run again by the primary, and it serves others', async () => {
    const limits = { databaseReadMaxLagMs: maxLagMs, databasePoolSize: 9 }
    const urls = { dataDir, databaseUrl: primary.url, databaseReadUrl: standby.url }
    const nap = sql`select pg_sleep(600)`
    for (const [limit, code] of [
      [{ databaseStatementTimeoutMs: 300 }, 'database_unavailable'],
      [{ backgroundReadTimeoutMs: 300 }, 'read_timed_out'],
    ] as const) {
      const bounded = openDatabase({ ...urls, ...limits, ...limit }, log)
      const one = () => sql`select 1`.execute(bounded.report)
      try {
        await until('the standby is used', async () => (await served(one)).replica === 1)
        lines.length = 0
        const outcomes = await served(() =>
          expect(nap.execute(bounded.report)).rejects.toMatchObject({ code }),
        )
        expect(outcomes).toEqual({})
        expect(await served(one)).toEqual({ replica: 1 })
        expect(lines).toEqual([])
      } finally {
        await bounded.close()
      }
    }
  })

  test('that conflict with what the standby applies run on the primary, and it serves others', async () => {
    await elsewhere.write((tx) =>
      sql`create function conflicting() returns text language plpgsql as $$ begin
        if pg_is_in_recovery() then
          raise exception 'conflict with recovery' using errcode = '40001';
        end if;
        return 'primary';
      end $$`.execute(tx),
    )
    await until('the standby has the function', async () => {
      const { problem } = await inspectReplica(primary.url, standby.url, 60_000)
      return problem === null
    })
    await untilUsed()
    const outcomes = await served(async () => {
      const { rows } = await sql`select conflicting() as by`.execute(db.report)
      expect(rows).toEqual([{ by: 'primary' }])
    })
    expect(outcomes).toEqual({ failed: 1 })
    expect(await served(() => find('none'))).toEqual({ replica: 1 })
  })

  test('use no server that is not a standby of this primary', async () => {
    const { databaseUrl } = { databaseUrl: primary.url }
    const same = openDatabase(
      { dataDir, databaseUrl, databaseReadUrl: databaseUrl, databasePoolSize: 3 },
      log,
    )
    lines.length = 0
    try {
      await until('it was compared', () => lines.some((line) => line.includes('read replica')))
      expect(lines.join('')).toContain('it is not a standby')
      await same.report.selectFrom('meta').selectAll().execute()
    } finally {
      await same.close()
    }
  })
})
