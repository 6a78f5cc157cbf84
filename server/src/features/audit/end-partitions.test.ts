import { sql } from 'kysely'
import pino from 'pino'
import { expect, test } from 'vitest'
import { firstIdAt, timeOf } from '#kernel/ids.ts'
import { commonFaults, isFault } from '#kernel/fault.ts'
import { dayMs } from '#kernel/durations.ts'
import { tamper } from '#test/support/audit-chain.ts'
import { onPostgres } from '#test/support/databases/sample-database.ts'
import { describePartitions, monthMs } from '#test/support/partitioned-log.ts'
import { endOpenPartition, partitionAuditLog } from './end-partitions.ts'
import { beginningOf, firstIdOf, monthAt } from './partition-months.ts'
import { beginEnd, proveEnd } from './partition-store.ts'

const onlyRun = { id: 'run', attempt: 1, isLast: false, signal: new AbortController().signal }

describePartitions('the partitions of the audit log', (log) => {
  const { fresh, pass, record, month, partitions, names, targets, problems } = log

  test('follow each other without a gap, one for each month', async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    // Once a month is enough.
    await endOpenPartition(log.instance.ctx)
    await endOpenPartition(log.instance.ctx)
    const found = await partitions()
    expect(found.length).toBeGreaterThan(3)
    expect(found[0]?.from).toBeNull()
    expect(found.at(-1)?.until).toBeNull()
    for (const [at, { until }] of found.slice(0, -1).entries())
      expect(found[at + 1]?.from).toBe(until)
    const bounds = found.flatMap(({ until }) => (until === null ? [] : [until]))
    expect(bounds).toEqual(bounds.toSorted())
    const held = await sql<{ place: string; n: number }>`
        select cast(tableoid::regclass as text) as place, count(*) as n from audit_events group by 1
      `.execute(log.instance.ctx.db.read)
    expect(held.rows.length).toBeGreaterThan(2)
    expect(await problems()).toEqual([])
  })

  test('are not begun where events are kept for ever', async () => {
    await fresh({})
    await record(1, 1)
    await endOpenPartition(log.instance.ctx)
    expect(await names()).toEqual(['audit_events_open'])
  })

  test('have several months where events are kept for many years', async () => {
    await fresh({ AUDIT_RETENTION_DAYS: '3650' })
    await endOpenPartition(log.instance.ctx)
    pass(7 * monthMs)
    await endOpenPartition(log.instance.ctx)
    const [first, second] = (await partitions()).map(({ until }) => timeOf(until ?? ''))
    expect(((second ?? 0) - (first ?? 0)) / monthMs).toBeGreaterThan(5)
  })

  test('are not begun while processes of the version before may write', async () => {
    await fresh()
    const migrated = (hoursAgo: number) =>
      sql`update schema_migrations set applied_at =
          cast(extract(epoch from now()) * 1000 as bigint) - ${hoursAgo * 3_600_000}`.execute(
        log.instance.ctx.db.maintain,
      )
    await migrated(23)
    await endOpenPartition(log.instance.ctx)
    expect(await names()).toEqual(['audit_events_open'])
    await migrated(25)
    await endOpenPartition(log.instance.ctx)
    expect(await names()).toEqual(['audit_events_until_M', 'audit_events_open'])
  })

  test('hold every event once for those who read and write while one begins', async () => {
    await fresh()
    await record(1, 20, null)
    const { db } = log.instance.ctx
    const others = new AbortController()
    let reads = 0
    const read = async () => {
      while (!others.signal.aborted) {
        const before = written
        const rows = await db.read.selectFrom('audit_events').select('target').execute()
        const changes = rows.flatMap(({ target }) => target ?? [])
        expect(new Set(changes).size).toBe(changes.length)
        expect(changes.length).toBeGreaterThanOrEqual(before)
        reads += 1
      }
    }
    let written = 20
    const endOne = async () => {
      try {
        await endOpenPartition(log.instance.ctx)
      } catch (error) {
        // The log was in use for a second: the next run continues.
        if (!isFault(error, commonFaults.database_unavailable)) throw error
        await endOne()
      }
    }
    const write = async () => {
      while (!others.signal.aborted) {
        await record(written + 1, written + 1, null)
        written += 1
      }
    }
    const working = [read(), read(), write()]
    for (let n = 0; n < 3; n += 1) {
      await endOne()
      pass(monthMs)
    }
    await endOne()
    await expect.poll(() => reads, { timeout: 30_000 }).toBeGreaterThan(5)
    others.abort()
    await Promise.all(working)
    expect((await partitions()).length).toBeGreaterThan(2)
    const changes = (await targets()).filter((target) => target?.startsWith('record ') === true)
    expect(changes).toHaveLength(written)
    expect(await problems()).toEqual([])
  })

  test('are completed by the next run after a process died between two steps', async () => {
    await fresh()
    await record(1, 3)
    const { db } = log.instance.ctx
    const [first] = await partitions()
    await db.write((tx) => beginEnd(tx, first!, '2199_01'))
    await record(4, 4)
    const [begun] = await partitions()
    expect(begun?.endingAt).toBe('2199_01')
    await proveEnd(db.maintain, begun!, '2199_01')
    await record(5, 5)
    await endOpenPartition(log.instance.ctx)
    expect((await partitions()).map(({ name }) => name)).toEqual([
      'audit_events_until_2199_01',
      'audit_events_open',
    ])
    expect(
      (await targets(log.ada.workspaceId)).filter((one) => one?.startsWith('record')),
    ).toHaveLength(5)
  })

  test('are not begun where an event would not fit, and the log goes on', async () => {
    await fresh()
    await record(1, 1)
    // A clock was ahead.
    const late = firstIdAt(Date.UTC(2199, 5))
    await tamper(
      log.instance.ctx,
      `insert into audit_events (id, face, action, outcome, created_at)
          values ('${late}', 'job', 'x', 'done', 1)`,
    )
    const [first] = await partitions()
    await log.instance.ctx.db.write((tx) => beginEnd(tx, first!, '2199_01'))
    await expect(endOpenPartition(log.instance.ctx)).rejects.toThrow(/violated by some row/)
    expect((await partitions())[0]?.endingAt).toBeNull()
    await tamper(log.instance.ctx, `delete from audit_events where id = '${late}'`)
    await record(2, 2)
    await endOpenPartition(log.instance.ctx)
    expect(await names()).toEqual(['audit_events_until_M', 'audit_events_open'])
  })

  test('are begun by a later run while a transaction holds the log', async () => {
    await fresh()
    await record(1, 1)
    const { ctx } = log.instance
    const { databaseUrl } = log.settings
    const run = () => partitionAuditLog.run(ctx, {}, onlyRun)
    await onPostgres({ databaseUrl }, async (client) => {
      await client.query('begin; select count(*) from audit_events')
      // Not a failure: the job would be repeated soon, and let every change wait each time.
      expect(await run()).toBeUndefined()
      expect(await names()).toEqual(['audit_events_open'])
      await client.query('rollback')
    })
    await run()
    expect(await names()).not.toEqual(['audit_events_open'])
  })

  test('report the violation where the end cannot be cancelled either', async () => {
    await fresh()
    const late = firstIdAt(Date.UTC(2199, 5))
    await tamper(
      log.instance.ctx,
      `insert into audit_events (id, face, action, outcome, created_at)
          values ('${late}', 'job', 'x', 'done', 1)`,
    )
    const [first] = await partitions()
    await log.instance.ctx.db.write((tx) => beginEnd(tx, first!, '2199_01'))
    await onPostgres({ databaseUrl: log.settings.databaseUrl }, async (client) => {
      await client.query('begin; select 1 from audit_events limit 1')
      await expect(endOpenPartition(log.instance.ctx)).rejects.toThrow(/violated by some row/)
      await client.query('rollback')
    })
  })

  test('are cancelled when their end comes near, and begin again at a later month', async () => {
    await fresh()
    await record(1, 1)
    const [first] = await partitions()
    const { ctx } = log.instance
    const month = monthAt(ctx.clock.now() + 2 * monthMs)
    await ctx.db.write((tx) => beginEnd(tx, first!, month))
    pass(beginningOf(month) - 5 * dayMs + 1 - ctx.clock.now())
    const lines: string[] = []
    const reporting = { ...ctx, log: pino({ base: null }, { write: (line) => lines.push(line) }) }
    await endOpenPartition(reporting)
    expect(lines).toEqual([expect.stringContaining(`"level":50`)])
    expect((await partitions()).map(({ endingAt }) => endingAt)).toEqual([null])
    pass(6 * dayMs)
    await record(2, 2)
    await endOpenPartition(reporting)
    expect(await names()).toEqual(['audit_events_until_M', 'audit_events_open'])
    expect((await partitions())[0]?.until).toBe(firstIdOf(monthAt(ctx.clock.now() + monthMs)))
    expect(await problems()).toEqual([])
  })
})
