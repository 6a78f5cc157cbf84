import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sealEvents } from '#features/audit/index.ts'
import { deleteWorkspace, purgeDeleted } from '#features/workspaces/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { beginCopy } from '#platform/db/postgres/postgres-copy.ts'
import { recordChange, tamper } from '#test/support/audit-chain.ts'
import { onPostgres } from '#test/support/databases/sample-database.ts'
import { describePartitions, monthMs } from '#test/support/partitioned-log.ts'
import { endOpenPartition } from './end-partitions.ts'

const never = new AbortController().signal

describePartitions('old partitions of the audit log', (log) => {
  const { fresh, pass, record, month, partitions, targets, expire, heads, problems } = log

  test('are dropped when all their events are old; the others lose their old events', async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    const known = await heads()
    const before = await partitions()
    const recorded = (await targets()).length + (await targets(log.ada.workspaceId)).length
    await expire()
    const after = await partitions()
    expect(after.length).toBeLessThan(before.length)
    expect(after[0]?.name).toMatch(/^audit_events_kept_/)
    expect(after[0]?.from).toBeNull()
    expect(after[1]?.from).toBe(after[0]?.until)
    expect(await targets()).not.toContain('record 1')
    expect(await targets()).toContain('record 4')
    expect(await targets()).toContain('audit.expire_events')
    expect(await problems(known)).toEqual([])
    // Each event was deleted and counted once.
    const counted = await sql<{ n: string }>`
        select sum(cast(detail_json::json ->> 'entries' as bigint)) as n from audit_events
        where action = 'audit.expire_events'`.execute(log.instance.ctx.db.read)
    const left = [...(await targets()), ...(await targets(log.ada.workspaceId))]
    const remaining = left.filter((one) => one !== 'audit.expire_events').length
    expect(Number(counted.rows[0]?.n)).toBe(recorded - remaining)
    expect(recorded - remaining).toBeGreaterThan(0)
    await record(9, 9)
    expect(await problems(known)).toEqual([])
    await expire()
    expect(await partitions()).toEqual(after)
  })

  test('keep what proves a purge when they are dropped, also a second time', async () => {
    await fresh()
    await record(1, 3)
    await deleteWorkspace(log.instance.ctx, log.ada, `${log.ada.name}'s workspace`)
    await sealEvents(log.instance.ctx)
    const known = await heads()
    pass(31 * dayMs)
    await endOpenPartition(log.instance.ctx)
    await purgeDeleted(log.instance.ctx, never)
    await sealEvents(log.instance.ctx)
    for (let n = 0; n < 4; n += 1) {
      pass(monthMs)
      await endOpenPartition(log.instance.ctx)
      await record(n, n, null)
      await expire()
      expect(await targets()).toEqual(
        expect.arrayContaining(['begin_purge_workspace', 'purge_workspace']),
      )
      expect(await problems(known)).toEqual([])
    }
    const [kept] = await partitions()
    const { rows } = await sql`select 1 from ${sql.table(kept!.name)}`.execute(
      log.instance.ctx.db.read,
    )
    expect(rows).toHaveLength(2)
    await tamper(
      log.instance.ctx,
      `delete from audit_events where action = 'begin_purge_workspace'`,
    )
    expect(await problems()).toEqual(['1 of the entries before its anchor are missing'])
  })

  test('stay with an event that was changed; those of other chains are deleted', async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    await tamper(
      log.instance.ctx,
      `update audit_events set target = 'x' where target = 'record 1' and workspace_id is null`,
    )
    const before = (await partitions()).length
    await expire()
    expect(await partitions()).toHaveLength(before)
    expect(await targets()).toContain('x')
    expect(await targets(log.ada.workspaceId)).not.toContain('record 1')
    expect(await problems()).toEqual([expect.stringMatching(/was changed or inserted$/)])
  })

  test('stay with an event that was put back, so that it is reported', async () => {
    await fresh()
    for (let n = 1; n <= 2; n += 1) await month(n, n)
    pass(16 * dayMs)
    await expire()
    expect(await targets()).not.toContain('record 1')
    // Among events that are not deleted yet.
    const ended = (await partitions()).findLast(({ until }) => until !== null)
    expect(ended?.name).toMatch(/^audit_events_until_/)
    const id = ended?.from ?? '0'
    await tamper(
      log.instance.ctx,
      `insert into audit_events (id, face, action, outcome, created_at, seq, link)
          values ('${id}', 'job', 'x', 'done', 1, 1, 'x')`,
    )
    pass(3 * monthMs)
    await expire()
    expect(await targets()).toContain('x')
    expect(await problems()).toContain(`entry 1 (${id}) was changed or inserted`)
  })

  test('stay while a backup reads, and are dropped by the next run', async () => {
    await fresh()
    for (let n = 1; n <= 3; n += 1) await month(n, n)
    pass(2 * monthMs)
    const databaseUrl = log.settings.databaseUrl
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
    const bob = await log.instance.person()
    for (let n = 1; n <= 3; n += 1) {
      await endOpenPartition(log.instance.ctx)
      for (const one of n % 2 === 0 ? [log.ada, bob] : [bob, log.ada])
        for (let at = 1; at <= 5; at += 1) await recordChange(log.instance.ctx, one, n)
      await sealEvents(log.instance.ctx)
      pass(monthMs)
    }
    const kept = (await targets(bob.workspaceId)).length
    await deleteWorkspace(log.instance.ctx, log.ada, `${log.ada.name}'s workspace`)
    pass(31 * dayMs)
    await purgeDeleted(log.instance.ctx, never)
    await sealEvents(log.instance.ctx)
    expect(await targets(log.ada.workspaceId)).toEqual([])
    expect(await targets(bob.workspaceId)).toHaveLength(kept)
    expect(await problems()).toEqual([])
  })

  test('refuse changes, deletions and truncation, each and together', async () => {
    await fresh()
    for (let n = 1; n <= 4; n += 1) await month(n, n)
    await expire()
    const { db } = log.instance.ctx
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
})
