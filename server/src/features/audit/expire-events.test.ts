import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { deleteWorkspace, purgeDeleted } from '#features/workspaces/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { recordChange, tamper, verifyLog } from '#test/support/audit-chain.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { beginLog, expireEvents, readHeads, sealEvents } from './index.ts'

describeInstance('audit events older than AUDIT_RETENTION_DAYS', (open) => {
  let instance: TestInstance
  let ada: Person

  const fresh = async (environment = { AUDIT_RETENTION_DAYS: '60' }) => {
    instance = await open(environment)
    ada = await instance.person()
    await beginLog(instance.ctx)
  }

  const record = async (first: number, last: number, workspaceId?: string | null) => {
    for (let n = first; n <= last; n += 1) await recordChange(instance.ctx, ada, n, workspaceId)
    await sealEvents(instance.ctx)
  }

  const expire = async () => {
    await expireEvents(instance.ctx)
    await sealEvents(instance.ctx)
  }

  const heads = () => Array.fromAsync(readHeads(instance.ctx, null))

  const targets = async () => {
    const rows = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['workspace_id', 'action', 'target'])
      .orderBy('id')
      .execute()
    const nameOf = ({ action, target }: (typeof rows)[number]) =>
      action === 'change' ? (target ?? '') : action
    return {
      instance: rows.filter((row) => row.workspace_id === null).map(nameOf),
      ofAda: rows.filter((row) => row.workspace_id === ada.workspaceId).map(nameOf),
    }
  }

  /** Three old events and one new one, of the instance and of a workspace. */
  const grow = async () => {
    for (const chain of [null, undefined]) await record(1, 3, chain)
    instance.advance(61 * dayMs)
    for (const chain of [null, undefined]) await record(4, 4, chain)
  }

  test('are deleted, of the instance and of workspaces, and the rest verifies', async () => {
    await fresh()
    await grow()
    const before = await heads()
    await expire()
    const left = ['record 4', 'audit.expire_events']
    expect(await targets()).toEqual({ instance: left, ofAda: left })
    expect((await verifyLog(instance.ctx, null, before)).problems).toEqual([])
    await record(5, 5, null)
    instance.advance(61 * dayMs)
    await expire()
    expect((await targets()).instance).toEqual(['audit.expire_events'])
    expect((await verifyLog(instance.ctx)).problems).toEqual([])
    await expire()
    expect((await targets()).instance).toEqual(['audit.expire_events'])
  })

  test.each([1, 2, 3, 4])(
    'may be deleted while the log is verified, after its read %i',
    async (moment) => {
      await fresh()
      await record(1, 3, null)
      instance.advance(61 * dayMs)
      await record(4, 4, null)
      const { ctx } = instance
      let reads = 0
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          reads += 1
          if (reads === moment) await expire()
          return result
        },
      }
      const db = { ...ctx.db, read: ctx.db.read.withPlugin(plugin), scan: ctx.db.scan }
      expect((await verifyLog({ ...ctx, db }, 'instance')).problems).toEqual([])
      expect(reads).toBeGreaterThanOrEqual(moment)
      expect((await targets()).instance).toEqual(['record 4', 'audit.expire_events'])
    },
  )

  test('are kept by default, and the database refuses to delete one that has not expired', async () => {
    await fresh({} as { AUDIT_RETENTION_DAYS: string })
    await grow()
    await expire()
    expect((await targets()).instance).toHaveLength(4)
    await fresh()
    await grow()
    await expire()
    const remove = instance.ctx.db.write((tx) =>
      tx.deleteFrom('audit_events').where('target', '=', 'record 4').execute(),
    )
    await expect(remove).rejects.toThrow(/never (changed or )?deleted/)
  })

  test('are not deleted from a chain that someone has changed', async () => {
    await fresh()
    await grow()
    await tamper(
      instance.ctx,
      `update audit_events set target = 'x' where workspace_id is null and seq = 2`,
    )
    await expire()
    expect((await targets()).instance).toEqual(['record 1', 'x', 'record 3', 'record 4'])
    expect((await targets()).ofAda[0]).toBe('record 4')
    expect((await verifyLog(instance.ctx)).problems).toEqual([
      expect.stringMatching(/^entry 2 .* was changed or inserted$/),
    ])
  })

  test.each([
    [
      'an anchor that was moved',
      [
        `update audit_chains set anchor_seq = 4 where chain = 'instance'`,
        `delete from audit_events where workspace_id is null and seq = 4`,
      ],
      ['its anchor was changed', 'entries 1 to 4 are missing'],
    ],
    [
      'an event that was deleted after the anchor',
      [`delete from audit_events where workspace_id is null and seq = 4`],
      ['entry 4 is missing'],
    ],
    [
      'an anchor that was taken away',
      [
        `update audit_chains set anchor_seq = 0, anchor_link = '', anchor_mac = null where chain = 'instance'`,
      ],
      ['entries 1 to 3 are missing'],
    ],
    [
      'an event that was put back',
      [
        `insert into audit_events (id, face, action, outcome, created_at, seq, link)
          values ('0', 'job', 'x', 'done', 1, 2, 'x')`,
      ],
      ['entry 2 (0) was changed or inserted', '-1 of the entries before its anchor are missing'],
    ],
  ])('leave a chain that shows %s', async (_what, statements, problems) => {
    await fresh()
    await grow()
    await expire()
    await tamper(instance.ctx, ...statements)
    expect((await verifyLog(instance.ctx)).problems).toEqual(problems)
  })

  test('stay if they prove the purge of a workspace, and are missed', async () => {
    await fresh()
    await record(1, 3)
    const before = await heads()
    await deleteWorkspace(instance.ctx, ada, `${ada.name}'s workspace`)
    await sealEvents(instance.ctx)
    instance.advance(31 * dayMs)
    await purgeDeleted(instance.ctx, new AbortController().signal)
    await sealEvents(instance.ctx)
    instance.advance(61 * dayMs)
    await record(5, 5, null)
    await expire()
    const kept = ['begin_purge_workspace', 'purge_workspace']
    expect((await targets()).instance).toEqual(expect.arrayContaining(kept))
    expect((await verifyLog(instance.ctx, null, before)).problems).toEqual([])
    await tamper(instance.ctx, `delete from audit_events where action = 'begin_purge_workspace'`)
    expect((await verifyLog(instance.ctx)).problems).toEqual([
      '1 of the entries before its anchor are missing',
    ])
  })
})
