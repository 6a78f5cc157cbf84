import { expect, test } from 'vitest'
import { deleteWorkspace, purgeDeleted } from '#features/workspaces/index.ts'
import { recordChange, verifyLog } from '#test/support/audit-chain.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { until } from '#test/support/until.ts'
import { createSealer, readHeads, sealEvents, signedDatabase } from './index.ts'

describeInstance('the chain of a workspace', (open) => {
  let instance: TestInstance
  let ada: Person

  const fresh = async (entries: number) => {
    instance = await open()
    ada = await instance.person()
    for (let n = 1; n <= entries; n += 1) await recordChange(instance.ctx, ada, n)
    await sealEvents(instance.ctx)
  }

  test('ends with its workspace, and the instance keeps where it ended', async () => {
    await fresh(3)
    const { ctx } = instance
    await recordChange(ctx, ada, 1, null)
    await deleteWorkspace(ctx, ada, `${ada.name}'s workspace`)
    await sealEvents(ctx)
    const ended = (await Array.fromAsync(readHeads(ctx, ada.workspaceId)))[0]!
    instance.advance(31 * 24 * 60 * 60_000)
    await purgeDeleted(ctx, new AbortController().signal)
    await sealEvents(ctx)
    const { problems, ends } = await verifyLog(instance.ctx)
    expect(problems).toEqual([])
    expect(ends.map(({ chain }) => chain)).toEqual(['instance'])
    const anchor = await ctx.db.read
      .selectFrom('audit_events')
      .select('detail_json')
      .where('action', '=', 'purge_workspace')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(anchor.detail_json ?? '')).toEqual({
      audit_chain: { seq: ended.seq, link: ended.link },
    })
  })

  test('is sealed soon after its events, and at the latest when the process stops', async () => {
    await fresh(1)
    const sealer = createSealer(instance.ctx)
    const { ctx } = instance
    const db = signedDatabase(ctx.db, ctx.vault, sealer.schedule)
    const sealed = async () => (await Array.fromAsync(readHeads(ctx, ada.workspaceId)))[0]?.seq
    await recordChange({ ...ctx, db }, ada, 2)
    await until('the event is sealed', async () => (await sealed()) === 2)
    await recordChange({ ...ctx, db }, ada, 3)
    await sealer.close()
    expect(await sealed()).toBe(3)
  })

  test('has every event once when many connections write and seal at once', async () => {
    await fresh(1)
    const others = await Promise.all([1, 2, 3].map(() => instance.again()))
    await Promise.all(
      [instance, ...others].map(async (one) => {
        for (let n = 0; n < 20; n += 1)
          await Promise.all([
            recordChange(one.ctx, ada, n),
            recordChange(one.ctx, ada, n, n % 2 === 0 ? null : ada.workspaceId),
            sealEvents(one.ctx),
          ])
      }),
    )
    await sealEvents(instance.ctx)
    const { problems, ends } = await verifyLog(instance.ctx)
    expect(problems).toEqual([])
    expect(ends.map(({ chain, checked }) => [chain, checked])).toEqual([
      [ada.workspaceId, 1 + 4 * 30],
      ['instance', 4 * 10],
    ])
  })
})
