import { expect, test } from 'vitest'
import { deleteWorkspace, purgeDeleted } from '#features/workspaces/index.ts'
import { recordChange, tamper, verifyLog } from '#test/support/audit-chain.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { beginLog, readHeads, sealEvents } from './index.ts'

const retentionMs = 31 * 24 * 60 * 60_000

describeInstance('the chain of a workspace that is deleted permanently', (open) => {
  let instance: TestInstance
  let ada: Person

  const fresh = async () => {
    instance = await open()
    ada = await instance.person()
    await fill(ada)
  }

  const fill = async (person: Person) => {
    for (let n = 1; n <= 4; n += 1) await recordChange(instance.ctx, person, n)
    await sealEvents(instance.ctx)
  }

  const purge = async (signal = new AbortController().signal) => {
    await purgeDeleted(instance.ctx, signal)
    await sealEvents(instance.ctx)
  }

  const deleteForGood = async (person: Person) => {
    await deleteWorkspace(instance.ctx, person, `${person.name}'s workspace`)
    await sealEvents(instance.ctx)
    instance.advance(retentionMs)
  }

  const heads = () => Array.fromAsync(readHeads(instance.ctx, null))
  const mark = () => `update workspaces set purge_began_at = 1 where id = '${ada.workspaceId}'`
  const eventsOf = (person: Person, condition: string) =>
    `delete from audit_events where workspace_id = '${person.workspaceId}' and ${condition}`

  test('is checked if only the workspace’s row says that it is being deleted', async () => {
    await fresh()
    const known = await heads()
    await tamper(instance.ctx, eventsOf(ada, 'seq >= 3'), mark())
    const problems = ['entries 3 to 4 are missing, the newest']
    expect((await verifyLog(instance.ctx)).problems).toEqual(problems)
    expect((await verifyLog(instance.ctx, ada.workspaceId, known)).problems).toEqual(problems)
    // An entry that Parley did not sign proves nothing either.
    const columns = 'id, face, action, target, outcome, created_at'
    const values = `'x', 'job', 'begin_purge_workspace', '${ada.workspaceId}', 'done', 1`
    await tamper(instance.ctx, `insert into audit_events (${columns}) values (${values})`)
    await beginLog(instance.ctx)
    await tamper(instance.ctx, `delete from meta where key = 'audit_log_begun_at'`)
    await beginLog(instance.ctx)
    expect((await verifyLog(instance.ctx)).problems).toEqual(expect.arrayContaining(problems))
  })

  test('is not checked while Parley deletes it, and its beginning is recorded once', async () => {
    await fresh()
    await deleteForGood(ada)
    for (let n = 1; n <= 2; n += 1) {
      await expect(purge(AbortSignal.abort())).rejects.toThrow()
      await sealEvents(instance.ctx)
    }
    await instance.ctx.db.write((tx) =>
      tx
        .deleteFrom('audit_events')
        .where('workspace_id', '=', ada.workspaceId)
        .where('seq', '<', 3)
        .execute(),
    )
    const { problems, ends } = await verifyLog(instance.ctx)
    expect(problems).toEqual([])
    expect(ends).toMatchObject([{ chain: ada.workspaceId, isEnding: true }, { checked: 1 }])
    await purge()
    const events = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'target'])
      .orderBy('seq')
      .execute()
    expect(events).toEqual([
      { action: 'begin_purge_workspace', target: ada.workspaceId },
      { action: 'purge_workspace', target: ada.workspaceId },
    ])
  })

  test('is not checked if a version before the chain began to delete it', async () => {
    instance = await open()
    ada = await instance.person()
    await tamper(instance.ctx, mark())
    await beginLog(instance.ctx)
    await fill(ada)
    await tamper(instance.ctx, eventsOf(ada, 'seq < 3'))
    const { problems, ends } = await verifyLog(instance.ctx)
    expect(problems).toEqual([])
    expect(ends).toMatchObject([{ chain: ada.workspaceId, isEnding: true }, { checked: 1 }])
  })

  test('need not contain the heads of an earlier export, unless they are newer than its end', async () => {
    await fresh()
    const known = await heads()
    await deleteForGood(ada)
    await purge()
    expect((await verifyLog(instance.ctx, null, known)).problems).toEqual([])
    expect((await verifyLog(instance.ctx, ada.workspaceId, known)).problems).toEqual([])
    const newer = [{ chain: ada.workspaceId, seq: 99, link: 'x' }]
    expect((await verifyLog(instance.ctx, null, newer)).problems).toEqual([
      'entries 1 to 99 are missing, the newest',
    ])
  })

  test('cannot replace the deleted chain of another workspace', async () => {
    await fresh()
    const { db } = instance.ctx
    const bob = await instance.person()
    await fill(bob)
    const of = ada.workspaceId
    await deleteForGood(ada)
    const head = await db.read.selectFrom('audit_chains').selectAll().where('chain', '=', of).executeTakeFirstOrThrow() // prettier-ignore
    const events = await db.read.selectFrom('audit_events').selectAll().where('workspace_id', '=', of).execute() // prettier-ignore
    await purge()
    await tamper(
      instance.ctx,
      eventsOf(bob, 'seq > 0'),
      `delete from audit_chains where chain = '${bob.workspaceId}'`,
    )
    await db.write(async (tx) => {
      await tx.insertInto('audit_chains').values(head).execute()
      await tx.insertInto('audit_events').values(events).execute()
    })
    expect((await verifyLog(instance.ctx)).problems).toEqual([
      'its workspace was deleted permanently, and its head was put back',
    ])
  })
})
