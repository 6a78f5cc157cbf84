import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { hourMs } from '#kernel/durations.ts'
import { newId } from '#kernel/ids.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { countDays } from './count-days.ts'
import { sumCountedUse } from './day-store.ts'
import { insertEntry, sumUse, sumWorkspace, wholeWorkspace } from './ledger-store.ts'
import { spanOf } from './period.ts'

describeInstance('the use of a workspace by day', (open) => {
  let instance: TestInstance
  let person: Person
  beforeEach(async () => {
    instance = await open()
    person = await instance.person()
  })

  const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }
  const count = async ({ ctx }: Pick<TestInstance, 'ctx'>) => await countDays.run(ctx, {}, run)

  /** Books a turn of 1,000 micros that began `earlierMs` ago, and a grant, which is no use. */
  async function book(earlierMs = 0): Promise<void> {
    const now = instance.ctx.clock.now()
    const row = { workspace_id: person.workspaceId, created_at: now, counted_at: now - earlierMs }
    await instance.ctx.db.write(async (tx) => {
      await insertEntry(tx, { ...row, id: newId(now), kind: 'turn', amount_micros: -1_000 })
      await insertEntry(tx, { ...row, id: newId(now), kind: 'grant', amount_micros: 77 })
    })
  }

  async function expectSame(): Promise<void> {
    const { db, clock } = instance.ctx
    const { workspaceId } = person
    for (const at of [clock.now(), clock.now() - 24 * hourMs, clock.now() - 40 * 24 * hourMs])
      for (const period of ['day', 'month'] as const) {
        const span = spanOf(period, at)
        const exact = await sumUse(db.read, workspaceId, wholeWorkspace, span)
        expect(await sumCountedUse(db.report, workspaceId, span)).toBe(exact + 0)
      }
  }

  test('is that of the ledger, whichever part of it was counted', async () => {
    await expectSame()
    for (let step = 0; step < 12; step++) {
      await book(step % 3 === 0 ? 5 * hourMs : 0)
      await expectSame()
      if (step % 4 === 3) await count(instance)
      await expectSame()
      instance.advance(step % 2 === 0 ? 60_000 : 31 * hourMs)
    }
    await count(instance)
    await expectSame()
    const rows = instance.ctx.db.read.selectFrom('credit_days').select('used_micros')
    const counted = (await rows.execute()).reduce((sum, row) => sum + row.used_micros, 0)
    expect(counted).toBe(12_000)
  })

  test('includes kinds of use that only the next version knows', async () => {
    const { db, clock } = instance.ctx
    const now = clock.now()
    const { workspaceId: workspace_id } = person
    await book()
    const row = { id: newId(now), workspace_id, created_at: now, counted_at: now }
    const entry = { ...row, kind: 'foresight', amount_micros: -500 }
    await db.write((tx) => tx.insertInto('credit_entries').values(entry).execute())
    const span = spanOf('month', now)
    expect(await sumUse(db.read, workspace_id, wholeWorkspace, span)).toBe(1_500)
    expect(await sumWorkspace(db.read, workspace_id)).toMatchObject({ usedMicros: 1_500 })
    expect(await sumCountedUse(db.read, workspace_id, span)).toBe(1_500)
    instance.advance(hourMs)
    await count(instance)
    expect(await sumCountedUse(db.read, workspace_id, span)).toBe(1_500)
  })

  test('is counted once by processes that count at the same time', async () => {
    for (let n = 0; n < 5; n++) {
      await book()
      instance.advance(3 * hourMs)
    }
    const others = await Promise.all(Array.from({ length: 4 }, () => instance.again()))
    const { clock } = instance.ctx
    const processes = [instance, ...others].map(({ ctx }) => ({ ctx: { ...ctx, clock } }))
    await Promise.all(processes.map(count))
    const rows = instance.ctx.db.read.selectFrom('credit_days').select('used_micros')
    const counted = (await rows.execute()).reduce((sum, row) => sum + row.used_micros, 0)
    expect(counted).toBe(5_000)
    await expectSame()
  })

  test('is read without the entries that are counted', async ({ skip }) => {
    const { db, clock } = instance.ctx
    skip(db.engine !== 'postgres', 'SQLite uses the index whatever it expects')
    const { workspaceId: workspace_id } = person
    const at = clock.now()
    const row = { workspace_id, created_at: at, counted_at: at }
    const many = Array.from({ length: 4_000 }, () => ({
      ...row,
      id: newId(at),
      kind: 'turn' as const,
      amount_micros: -1_000,
    }))
    await db.write((tx) => tx.insertInto('credit_entries').values(many).execute())
    instance.advance(hourMs)
    await count(instance)
    const span = spanOf('month', at)
    const read = await db.write(async (tx) => {
      await sql`analyze credit_entries`.execute(tx)
      expect(await sumCountedUse(tx, workspace_id, span)).toBe(4_000_000)
      const { rows } = await sql<{ entries: number }>`
        select seq_tup_read + idx_tup_fetch as entries from pg_stat_xact_user_tables
        where relname = 'credit_entries'`.execute(tx)
      return rows[0]?.entries
    })
    expect(read).toBe(0)
  })

  test('needs no process for long reads while nothing new was booked in any of 600 workspaces', async () => {
    await book()
    instance.advance(hourMs)
    await count(instance)
    const { ctx } = instance
    const { read } = ctx.db
    const template = await read
      .selectFrom('workspaces')
      .selectAll()
      .limit(1)
      .executeTakeFirstOrThrow()
    const more = Array.from({ length: 600 }, () => ({ ...template, id: newId() }))
    await ctx.db.write((trx) => trx.insertInto('workspaces').values(more).execute())
    const db = {
      ...ctx.db,
      read,
      get scan(): typeof read {
        throw new Error('it starts a process')
      },
    }
    await countDays.run({ ...ctx, db }, {}, run)
    await book()
    instance.advance(hourMs)
    await expect(countDays.run({ ...ctx, db }, {}, run)).rejects.toThrow('it starts a process')
  })

  test('is not counted for a workspace whose purge has begun', async () => {
    await book()
    instance.advance(hourMs)
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('workspaces')
        .set({ purge_began_at: 1 })
        .where('id', '=', person.workspaceId)
        .execute(),
    )
    await count(instance)
    expect(await instance.ctx.db.read.selectFrom('credit_days').selectAll().execute()).toEqual([])
  })
})
