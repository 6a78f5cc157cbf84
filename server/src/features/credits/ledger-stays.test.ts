import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { setUpCreditTurns } from '#test/support/chat/credit-turns.ts'
import { forgetEndUser } from './index.ts'

describeInstance('the ledger', (open) => {
  let instance: TestInstance
  let person: Person

  beforeAll(async () => {
    instance = await open()
    const spending = await setUpCreditTurns(instance)
    person = await instance.person()
    for (const endUser of ['ann', 'bob']) await spending.run(person, 900, 700, { endUser })
  })

  const entries = () =>
    instance.ctx.db.read
      .selectFrom('credit_entries')
      .selectAll()
      .where('workspace_id', '=', person.workspaceId)
      .orderBy('id')
      .execute()

  const changes = {
    amount_micros: 0,
    kind: 'grant',
    workspace_id: 'of another',
    model: null,
    counted_at: 1,
    note: 'not so',
    channel: 'not so',
    cached_tokens: 7,
    end_user: 'carl',
    created_at: 1,
  }
  test.each(Object.entries(changes))(
    'cannot be changed in the database: %s',
    async (column, value) => {
      const before = await entries()
      const change = (to: object) =>
        instance.ctx.db.write((tx) => tx.updateTable('credit_entries').set(to).execute())
      await expect(change({ [column]: value })).rejects.toThrow()
      // Nor together with the one change that is allowed.
      const both = { end_user: null, [column]: value }
      if (column !== 'end_user') await expect(change(both)).rejects.toThrow()
      expect(await entries()).toEqual(before)
    },
  )

  test('cannot lose entries', async () => {
    const before = await entries()
    const { db } = instance.ctx
    await expect(db.write((tx) => tx.deleteFrom('credit_entries').execute())).rejects.toThrow()
    if (db.engine === 'postgres')
      await expect(db.write((tx) => sql`truncate credit_entries`.execute(tx))).rejects.toThrow()
    expect(await entries()).toEqual(before)
  })

  test('forgets the end user and nothing else', async () => {
    const before = await entries()
    const whose = { workspaceId: person.workspaceId, agentId: 'agent', endUser: 'ann' }
    expect(await forgetEndUser(instance.ctx, { ...whose, everywhere: true })).toBe(1)
    const forgotten = before.map((entry) =>
      entry.end_user === 'ann' ? { ...entry, end_user: null } : entry,
    )
    expect(await entries()).toEqual(forgotten)
  })
})
