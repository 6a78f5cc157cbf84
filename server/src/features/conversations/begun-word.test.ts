import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { indexSettled } from './index-conversations.ts'
import { listConversations } from './list-conversations.ts'

describeInstance('a search of conversations while it is typed', (open) => {
  test('finds words that begin like the last one, before and after they are indexed', async () => {
    const instance = await open()
    const { ctx } = instance
    const ada = await instance.person()
    const agent = await createAgent(ctx, ada, { name: 'Talker' })
    const other = await createAgent(ctx, ada, { name: 'Other' })
    const talk = async (content: string, agentId = agent.id) => {
      const at = ctx.clock.now() - 1000
      const messages = [{ role: 'user', at, content } as const]
      await storeSession(ctx.db, { workspaceId: ada.workspaceId, agentId, messages })
    }
    await talk('My deliveries are late')
    await talk('The delicious zeppelin')
    await talk('Wo ist die Bestellung von Müller?')
    await talk('My deliveries are elsewhere', other.id)
    const found = async (query: string) => {
      const page = await listConversations(ctx, ada.workspaceId, agent.id, { limit: 9, query })
      return page.items.map(({ question }) => question).toSorted()
    }
    for (const state of ['recent', 'indexed']) {
      const [late, sweet, german] = [
        'My deliveries are late',
        'The delicious zeppelin',
        'Wo ist die Bestellung von Müller?',
      ]
      expect(await found('deli'), state).toEqual([late, sweet])
      expect(await found('deliv'), state).toEqual([late])
      expect(await found('deliveries'), state).toEqual([late])
      expect(await found('zeppel'), state).toEqual([sweet])
      expect(await found('bestell'), state).toEqual([german])
      expect(await found('mül'), state).toEqual([german])
      // Only the last word may be begun, all others are whole.
      expect(await found('zeppelin deli'), state).toEqual([sweet])
      expect(await found('zepp delicious'), state).toEqual([])
      expect(await found('the'), state).toEqual([])
      expect(await found('xyz'), state).toEqual([])
      instance.advance(5 * 60_000)
      await indexSettled(ctx)
    }
  })

  test('finds a begun word of a later message until it is indexed, and then on SQLite only; whole words always', async () => {
    const instance = await open()
    const { ctx } = instance
    const ada = await instance.person()
    const agent = await createAgent(ctx, ada, { name: 'Talker' })
    const at = ctx.clock.now() - 1000
    const messages = [
      { role: 'user', at, content: 'Beside the zeppelin?' },
      { role: 'assistant', at: at + 1, content: 'An ornithopter does.' },
      { role: 'user', at: at + 2, content: 'And a gyrocopter?' },
    ] as const
    await storeSession(ctx.db, { workspaceId: ada.workspaceId, agentId: agent.id, messages })
    const found = async (query: string) =>
      (await listConversations(ctx, ada.workspaceId, agent.id, { limit: 9, query })).items.length
    for (const state of ['recent', 'indexed']) {
      const begun = state === 'recent' || ctx.db.engine === 'sqlite' ? 1 : 0
      expect(await found('ornith'), state).toBe(begun)
      expect(await found('gyro'), state).toBe(begun)
      expect(await found('ornithopter'), state).toBe(1)
      expect(await found('gyrocopter'), state).toBe(1)
      expect(await found('zepp'), state).toBe(1)
      instance.advance(5 * 60_000)
      await indexSettled(ctx)
    }
  })
})
