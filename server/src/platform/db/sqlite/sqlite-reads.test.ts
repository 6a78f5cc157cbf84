import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { forCaller } from '#platform/db/caller.ts'
import { SqliteReads } from './sqlite-reads.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { openSqlite } from './open-sqlite.ts'
import { forTenant } from '#platform/db/tenant.ts'

const log = pino({ level: 'silent' })

/** Takes hours. */
const endless =
  'with recursive n (i) as (select 1 union all select i + 1 from n where i < 1e12) select max(i) from n'

describe('a long read', () => {
  let folder = ''
  let file = ''
  let reads: SqliteReads
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
    file = join(folder, 'parley.sqlite')
    await migrateSqlite({ file, log })
    reads = new SqliteReads({ file })
  })
  afterEach(async () => {
    reads.close()
    await rm(folder, { recursive: true, force: true })
  })

  const withLimits = (limits: Partial<ConstructorParameters<typeof SqliteReads>[0]['limits']>) => {
    reads.close()
    reads = new SqliteReads({ file, limits })
  }
  const isBackground = false
  /** Runs a read for a person who waits for it. */
  const asked = <T>(code: () => T, signal = new AbortController().signal, tenant = 'a') =>
    forTenant(tenant, () => forCaller({ signal: () => signal, isBackground }, code))
  const one = () => reads.scan<{ one: number }>('select 1 as one', [])
  /** The reader processes of this database. */
  const processes = async () => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const commands = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    )
    return commands.filter((command) => command.includes(file)).length
  }

  test('does not block the calling thread', async () => {
    await one()
    let ticks = 0
    const ticking = setInterval(() => (ticks += 1), 5)
    const long = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000000)
      select count(*) as count from n`
    const startedAt = performance.now()
    const { rows } = await reads.scan<{ count: number }>(long, [])
    const ms = performance.now() - startedAt
    clearInterval(ticking)
    expect(rows).toStrictEqual([{ count: 3_000_000 }])
    expect(ticks).toBeGreaterThan(ms / 5 / 4)
  })

  test('returns plain objects and bytes, and accepts only primitives', async () => {
    const { rows } = await reads.scan('select ? as text, ? as bytes, null as absent', [
      'a',
      Uint8Array.of(1, 2),
    ])
    expect(rows).toEqual([{ text: 'a', bytes: Uint8Array.of(1, 2), absent: null }])
    expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype)
    await expect(reads.scan('select ?', [{}])).rejects.toThrow('primitives only')
  })

  test('cannot write', async () => {
    await expect(reads.scan('delete from sequences', [])).rejects.toThrow('readonly')
  })

  test('that fails does not affect others', async () => {
    const [bad, good] = await Promise.allSettled([reads.scan('select nonsense', []), one()])
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: /nonsense/ } })
    expect(good).toMatchObject({ status: 'fulfilled', value: { rows: [{ one: 1 }] } })
  })

  test('is ended within a second of its deadline, and the next one runs', async () => {
    withLimits({ readTimeoutMs: 300 })
    const startedAt = performance.now()
    const late = asked(() => reads.scan(endless, []))
    await expect(late).rejects.toMatchObject({ code: 'read_timed_out', facts: { seconds: 1 } })
    expect(performance.now() - startedAt).toBeLessThan(1300)
    await vi.waitFor(async () => expect(await processes()).toBe(0), { timeout: 1000 })
    expect(await asked(one)).toEqual({ rows: [{ one: 1 }] })
  })

  test('of background work has a deadline of its own', async () => {
    withLimits({ readTimeoutMs: 60_000, backgroundReadTimeoutMs: 1000 })
    await expect(reads.scan(endless, [])).rejects.toMatchObject({ code: 'read_timed_out' })
  })

  test('ends within a second when its caller leaves', async () => {
    const gone = new AbortController()
    const left = asked(() => reads.scan(endless, []), gone.signal)
    const outcome = expect(left).rejects.toMatchObject({
      code: 'caller_left',
      cause: { message: 'gone' },
    })
    await vi.waitFor(async () => expect(await processes()).toBe(1))
    gone.abort(new Error('gone'))
    await outcome
    await vi.waitFor(async () => expect(await processes()).toBe(0), { timeout: 1000 })
    const never = asked(() => reads.scan(endless, []), gone.signal)
    await expect(never).rejects.toMatchObject({ code: 'caller_left' })
  })

  test('of one tenant, however many wait, delays neither a search, nor another tenant, nor a job', async () => {
    const gone = new AbortController()
    const flood = Array.from({ length: 20 }, () =>
      asked(() => reads.scan(endless, []), gone.signal).catch((error: unknown) => error),
    )
    await asked(() => reads.search('select 1', []))
    await asked(one, undefined, 'b')
    await one()
    expect(await processes()).toBe(5)
    gone.abort()
    for (const ended of await Promise.all(flood))
      expect(ended).toMatchObject({ code: 'caller_left' })
  })

  test('of one tenant delays no other through the port of the database, either', async () => {
    const db = openSqlite({ file, log })
    const gone = new AbortController()
    const flood = Array.from({ length: 6 }, () =>
      asked(() => sql.raw(endless).execute(db.scan), gone.signal).catch((error: unknown) => error),
    )
    await vi.waitFor(async () => expect(await processes()).toBe(2), { timeout: 20_000 })
    for (const reader of [db.scan, db.report, db.search])
      await asked(() => sql`select 1`.execute(reader), undefined, 'b')
    await sql`select 1`.execute(db.scan)
    gone.abort()
    for (const ended of await Promise.all(flood))
      expect(ended).toMatchObject({ code: 'caller_left' })
    await db.close()
  })

  test('is refused when too many of its tenant wait', async () => {
    withLimits({ readers: 1, readsWaiting: 1 })
    const gone = new AbortController()
    const ask = () => asked(() => reads.scan(endless, []), gone.signal)
    const waiting = [ask(), ask()].map((read) => read.catch((error: unknown) => error))
    await expect(ask()).rejects.toMatchObject({ code: 'reads_busy' })
    gone.abort()
    await Promise.all(waiting)
  })

  test('is a fault when its process dies, and the next one starts another', async () => {
    const dying = asked(() => reads.scan(endless, []))
    const outcome = expect(dying).rejects.toMatchObject({ code: 'database_unavailable' })
    await vi.waitFor(async () => expect(await processes()).toBe(1))
    for (const pid of await readdir('/proc')) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (/^\d+$/.test(pid) && command.includes(file)) process.kill(Number(pid), 'SIGKILL')
    }
    await outcome
    expect(await asked(one)).toEqual({ rows: [{ one: 1 }] })
  })

  test('leaves no process after a long idle time, and the next one starts another', async () => {
    const impatient = new SqliteReads({ file, idleMs: { search: 1, others: 1 } })
    for (let round = 0; round < 2; round += 1) {
      expect(await impatient.scan('select 1 as one', [])).toEqual({ rows: [{ one: 1 }] })
      await vi.waitFor(async () => expect(await processes()).toBe(0))
    }
    impatient.close()
  })

  test('of a file that is not a database is a fault', async () => {
    const other = join(folder, 'other.sqlite')
    await writeFile(other, 'no database '.repeat(1_000))
    const unreadable = new SqliteReads({ file: other })
    const read = unreadable.scan('select name from sequences', [])
    await expect(read).rejects.toMatchObject({ code: 'database_unavailable' })
    unreadable.close()
  })

  test('ends at once when the database closes', async () => {
    const long = reads.scan(endless, [])
    const outcome = expect(long).rejects.toMatchObject({ code: 'database_unavailable' })
    await vi.waitFor(async () => expect(await processes()).toBe(1))
    reads.close()
    await outcome
    await vi.waitFor(async () => expect(await processes()).toBe(0), { timeout: 1000 })
    await expect(one()).rejects.toThrow('closed')
  })
})
