import { beforeAll, expect, test } from 'vitest'
import { deleteWorkspace, purgeDeleted } from '#features/workspaces/index.ts'
import type { Context } from '#platform/context.ts'
import { recordChange, tamper, verifyLog } from '#test/support/audit-chain.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { beginLog, createSealer, sealEvents, signedDatabase } from './index.ts'

describeInstance('an event that is deleted before it is sealed', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    await beginLog(instance.ctx)
  })

  /** A process that seals its events. */
  function startProcess() {
    const { ctx } = instance
    const sealer = createSealer(ctx)
    const own: Context = { ...ctx, db: signedDatabase(ctx.db, ctx.vault, sealer.schedule) }
    return { ctx: own, close: () => sealer.close() }
  }

  const remove = async (target: string) =>
    await tamper(instance.ctx, `delete from audit_events where target = '${target}'`)

  test.each(['of a workspace', 'of no workspace'])('is reported: %s', async (whose) => {
    const workspaceId = whose === 'of no workspace' ? null : ada.workspaceId
    const chain = workspaceId ?? 'instance'
    const { ctx, close } = startProcess()
    await recordChange(ctx, ada, 1, workspaceId)
    await recordChange(ctx, ada, 2, workspaceId)
    await remove('record 2')
    await close()
    const reported = [expect.stringMatching(/is missing: it was deleted .*"target":"record 2"/)]
    expect((await verifyLog(ctx, chain)).problems).toEqual(reported)
    await sealEvents(ctx)
    expect((await verifyLog(ctx, chain)).problems).toEqual(reported)
  })

  test('by the purge of its workspace is not reported', async () => {
    const eve = await instance.person()
    const { ctx, close } = startProcess()
    await deleteWorkspace(ctx, eve, `${eve.name}'s workspace`)
    instance.advance(31 * 24 * 60 * 60_000)
    await recordChange(ctx, eve, 4)
    await purgeDeleted(ctx, new AbortController().signal)
    await close()
    const missing = await ctx.db.read
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'audit.event_missing')
      .where('workspace_id', '=', eve.workspaceId)
      .execute()
    expect(missing).toEqual([])
  })
})
