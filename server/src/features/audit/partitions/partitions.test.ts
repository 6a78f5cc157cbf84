import { sql } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { beginLog, expireEvents, readHeads, sealEvents } from '#features/audit/index.ts'
import { deleteWorkspace, purgeDeleted } from '#features/workspaces/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { beginCopy } from '#platform/db/postgres/postgres-copy.ts'
import { recordChange, tamper, verifyLog } from '#test/support/audit-chain.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { onPostgres } from '#test/support/databases/sample-database.ts'
import {
  defineOnInstances,
  type OpenInstance,
  type Person,
  type Source,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { endOpenPartition } from './end-partitions.ts'
import { beginEnd, listPartitions, proveEnd } from './partition-store.ts'

const never = new AbortController().signal
const monthMs = 31 * dayMs
const environment = { AUDIT_RETENTION_DAYS: '60' }

/** Ids of one process stay in order, so the clock of a test begins where that of the one before ended. */
let elapsed = 0

let settings: DatabaseSettings | null = null
const source: Source = {
  make: async () => (settings = await makeDatabase('postgres')),
  drop: dropDatabase,
}

describe.runIf(inject('engines').includes('postgres'))('the partitions of the audit log', () =>
  defineOnInstances(source, defineTests),
)

function defineTests(open: OpenInstance): void {
  let instance: TestInstance
  let ada: Person

  const pass = (ms: number) => {
    elapsed += ms
    instance.advance(ms)
  }

  const fresh = async () => {
    instance = await open(environment)
    instance.advance(elapsed)
    pass(monthMs)
    ada = await instance.person()
    await beginLog(instance.ctx)
    await sql`update schema_migrations set applied_at = 0`.execute(instance.ctx.db.maintain)
  }

  const record = async (first: number, last: number, workspaceId?: string | null) => {
    for (let n = first; n <= last; n += 1) await recordChange(instance.ctx, ada, n, workspaceId)
    await sealEvents(instance.ctx)
  }

  /** A month with events of the instance and of the workspace, whose partition begins and ends with it. */
  const month = async (first: number, last: number) => {
    await endOpenPartition(instance.ctx)
    for (const chain of [null, undefined]) await record(first, last, chain)
    pass(monthMs)
  }

  const partitions = () => listPartitions(instance.ctx.db.read)
  const names = async () => (await partitions()).map(({ name }) => name.replace(/\d+_\d+/, 'M'))

  const targets = async (workspaceId: string | null = null) => {
    const rows = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'target'])
      .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
      .orderBy('id')
      .execute()
    return rows.map(({ action, target }) => (action === 'change' ? target : action))
  }

  const expire = async () => {
    await expireEvents(instance.ctx)
    await sealEvents(instance.ctx)
  }

  const heads = () => Array.fromAsync(readHeads(instance.ctx, null))
  const problems = async (since: Awaited<ReturnType<typeof heads>> = []) =>
    (await verifyLog(instance.ctx, null, since)).problems

  test('follow each other without a gap, one for each month', async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    // Once a month is enough.
    await endOpenPartition(instance.ctx)
    await endOpenPartition(instance.ctx)
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
      `.execute(instance.ctx.db.read)
    expect(held.rows.length).toBeGreaterThan(2)
    expect(await problems()).toEqual([])
  })

  test('are not begun while processes of the version before may write', async () => {
    await fresh()
    const migrated = (hoursAgo: number) =>
      sql`update schema_migrations set applied_at =
          cast(extract(epoch from now()) * 1000 as bigint) - ${hoursAgo * 3_600_000}`.execute(
        instance.ctx.db.maintain,
      )
    await migrated(23)
    await endOpenPartition(instance.ctx)
    expect(await names()).toEqual(['audit_events_open'])
    await migrated(25)
    await endOpenPartition(instance.ctx)
    expect(await names()).toEqual(['audit_events_until_M', 'audit_events_open'])
  })

  test('hold every event once for those who read and write while one begins', async () => {
    await fresh()
    await record(1, 20, null)
    const { db } = instance.ctx
    let isRunning = true
    let reads = 0
    const read = async () => {
      while (isRunning) {
        const before = written
        const rows = await db.read.selectFrom('audit_events').select('target').execute()
        const changes = rows.flatMap(({ target }) => target ?? [])
        expect(new Set(changes).size).toBe(changes.length)
        expect(changes.length).toBeGreaterThanOrEqual(before)
        reads += 1
      }
    }
    let written = 20
    const write = async () => {
      while (isRunning) {
        await record(written + 1, written + 1, null)
        written += 1
      }
    }
    const others = [read(), read(), write()]
    for (let n = 0; n < 3; n += 1) {
      await endOpenPartition(instance.ctx)
      pass(monthMs)
    }
    await endOpenPartition(instance.ctx)
    isRunning = false
    await Promise.all(others)
    expect(reads).toBeGreaterThan(5)
    expect((await partitions()).length).toBeGreaterThan(3)
    const changes = (await targets()).filter((target) => target?.startsWith('record ') === true)
    expect(changes).toHaveLength(written)
    expect(await problems()).toEqual([])
  })

  test('are completed by the next run after a process died between two steps', async () => {
    await fresh()
    await record(1, 3)
    const { db } = instance.ctx
    const [first] = await partitions()
    await db.write((tx) => beginEnd(tx, first!, '2199_01'))
    await record(4, 4)
    const [begun] = await partitions()
    expect(begun?.endingAt).toBe('2199_01')
    await proveEnd(db.maintain, begun!, '2199_01')
    await record(5, 5)
    await endOpenPartition(instance.ctx)
    expect((await partitions()).map(({ name }) => name)).toEqual([
      'audit_events_until_2199_01',
      'audit_events_open',
    ])
    expect(
      (await targets(ada.workspaceId)).filter((one) => one?.startsWith('record')),
    ).toHaveLength(5)
  })

  test('are not begun where an event would not fit, and the log goes on', async () => {
    await fresh()
    await record(1, 1)
    const [first] = await partitions()
    await instance.ctx.db.write((tx) => beginEnd(tx, first!, '1999_01').then(() => undefined))
    await expect(endOpenPartition(instance.ctx)).rejects.toThrow(/violated by some row/)
    await record(2, 2)
    await endOpenPartition(instance.ctx)
    expect(await names()).toEqual(['audit_events_until_M', 'audit_events_open'])
  })

  test('are dropped when all their events are old; the others lose their old events', async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    const known = await heads()
    const before = await partitions()
    await expire()
    const left = await partitions()
    expect(left.length).toBeLessThan(before.length)
    expect(left[0]?.name).toMatch(/^audit_events_kept_/)
    expect(left[0]?.from).toBeNull()
    expect(left[1]?.from).toBe(left[0]?.until)
    expect(await targets()).not.toContain('record 1')
    expect(await targets()).toContain('record 4')
    expect(await targets()).toContain('audit.expire_events')
    expect(await problems(known)).toEqual([])
    // Each event was deleted and counted once.
    const counted = await sql<{ n: number }>`
        select sum(cast(detail_json::json ->> 'entries' as bigint)) as n from audit_events
        where action = 'audit.expire_events'`.execute(instance.ctx.db.read)
    const gone = [1, 2, 3, 4].filter((n) => n <= 4 - 2).length
    const seqs = await sql<{ n: number }>`
        select sum(anchor_seq - anchor_kept) as n from audit_chains`.execute(instance.ctx.db.read)
    expect(counted.rows[0]?.n).toBe(seqs.rows[0]?.n)
    expect(gone).toBe(2)
    await record(9, 9)
    expect(await problems(known)).toEqual([])
    await expire()
    expect(await partitions()).toEqual(left)
  })

  test('keep what proves a purge when they are dropped, also a second time', async () => {
    await fresh()
    await record(1, 3)
    await deleteWorkspace(instance.ctx, ada, `${ada.name}'s workspace`)
    await sealEvents(instance.ctx)
    const known = await heads()
    pass(31 * dayMs)
    await endOpenPartition(instance.ctx)
    await purgeDeleted(instance.ctx, never)
    await sealEvents(instance.ctx)
    for (let n = 0; n < 4; n += 1) {
      pass(monthMs)
      await endOpenPartition(instance.ctx)
      await record(n, n, null)
      await expire()
      expect(await targets()).toEqual(
        expect.arrayContaining(['begin_purge_workspace', 'purge_workspace']),
      )
      expect(await problems(known)).toEqual([])
    }
    const [kept] = await partitions()
    const { rows } = await sql<{
      n: string
    }>`select count(*) as n from ${sql.table(kept!.name)}`.execute(instance.ctx.db.read)
    expect(rows[0]?.n).toBe(2)
    await tamper(instance.ctx, `delete from audit_events where action = 'begin_purge_workspace'`)
    expect(await problems()).toEqual(['1 of the entries before its anchor are missing'])
  })

  test('stay with an event that was changed; those of other chains are deleted', async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    await tamper(
      instance.ctx,
      `update audit_events set target = 'x' where target = 'record 1' and workspace_id is null`,
    )
    const before = (await partitions()).length
    await expire()
    expect(await partitions()).toHaveLength(before)
    expect(await targets()).toContain('x')
    expect(await targets(ada.workspaceId)).not.toContain('record 1')
    expect(await problems()).toEqual([expect.stringMatching(/was changed or inserted$/)])
  })

  test('stay with an event that was put back, so that it is reported', async () => {
    await fresh()
    for (let n = 1; n <= 2; n += 1) await month(n, n)
    pass(16 * dayMs)
    await expire()
    expect(await targets()).not.toContain('record 1')
    await tamper(
      instance.ctx,
      `insert into audit_events (id, face, action, outcome, created_at, seq, link)
          values ('0', 'job', 'x', 'done', 1, 1, 'x')`,
    )
    pass(3 * monthMs)
    await expire()
    expect(await targets()).toContain('x')
    expect(await problems()).toContain('entry 1 (0) was changed or inserted')
  })

  test('stay while a backup reads, and are dropped by the next run', async () => {
    await fresh()
    for (let n = 1; n <= 3; n += 1) await month(n, n)
    pass(2 * monthMs)
    const databaseUrl = settings?.databaseUrl
    const before = await partitions()
    await onPostgres({ databaseUrl }, async (client) => {
      await beginCopy(client)
      const count = async () =>
        (await client.query('select count(*) as n from audit_events')).rows[0]?.n
      await expire()
      expect(await partitions()).toEqual(before)
      expect(await targets()).not.toContain('record 1')
      expect(Number(await count())).toBeGreaterThan((await targets()).length)
      await client.query('rollback')
    })
    await expire()
    expect((await partitions()).length).toBeLessThan(before.length)
    expect(await problems()).toEqual([])
  })

  test('are purged with a workspace, and another one keeps its events', async () => {
    await fresh()
    const bob = await instance.person()
    for (let n = 1; n <= 3; n += 1) {
      await endOpenPartition(instance.ctx)
      for (const one of n % 2 === 0 ? [ada, bob] : [bob, ada])
        for (let at = 1; at <= 5; at += 1) await recordChange(instance.ctx, one, n)
      await sealEvents(instance.ctx)
      pass(monthMs)
    }
    const kept = (await targets(bob.workspaceId)).length
    await deleteWorkspace(instance.ctx, ada, `${ada.name}'s workspace`)
    pass(31 * dayMs)
    await purgeDeleted(instance.ctx, never)
    await sealEvents(instance.ctx)
    expect(await targets(ada.workspaceId)).toEqual([])
    expect(await targets(bob.workspaceId)).toHaveLength(kept)
    expect(await problems()).toEqual([])
  })

  test('refuse changes, deletions and truncation, each and together', async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    await expire()
    const { db } = instance.ctx
    const tables = ['audit_events', ...(await partitions()).map(({ name }) => name)]
    for (const name of tables) {
      const table = sql.table(name)
      const truncated = db.write((tx) => sql`truncate ${table}`.execute(tx))
      await expect(truncated, name).rejects.toThrow(/never deleted/)
      const { rows } = await sql`select 1 from ${table} limit 1`.execute(db.read)
      if (rows.length === 0) continue
      for (const change of [sql`delete from ${table}`, sql`update ${table} set target = 'x'`])
        await expect(
          db.write((tx) => change.execute(tx)),
          name,
        ).rejects.toThrow(/never changed or deleted/)
    }
  })
}
