import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { agentsSearched, findConversations } from './find-conversations.ts'
import { indexSettled } from './index-conversations.ts'

describeInstance('a search of the conversations of a workspace', (open) => {
  let instance: TestInstance
  let ada: Person
  let at: number

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    at = instance.ctx.clock.now() - 100_000
  })

  async function talk(person: Person, name: string, content: string) {
    const agent = await createAgent(instance.ctx, person, { name })
    const messages = [{ role: 'user', at: (at += 1), content } as const]
    const place = { workspaceId: person.workspaceId, agentId: agent.id }
    await storeSession(instance.ctx.db, { ...place, messages })
    return agent.id
  }

  const found = async (query: string, limit = 6, signal = new AbortController().signal) => {
    const items = await findConversations(instance.ctx, ada.workspaceId, { query, limit }, signal)
    return items.map(({ question }) => question)
  }

  test('finds those of several agents, newest first, before and after they are indexed', async () => {
    await talk(ada, 'One', 'A zeppelin over the sea')
    await talk(ada, 'Two', 'The second zeppelin')
    const gone = await talk(ada, 'Gone', 'A zeppelin of a deleted agent')
    const deleted = { deleted_at: at }
    await instance.ctx.db.write((tx) =>
      tx.updateTable('agents').set(deleted).where('id', '=', gone).execute(),
    )
    await talk(await instance.person(), 'Other', 'A zeppelin of a stranger')
    for (const state of ['recent', 'indexed']) {
      const both = ['The second zeppelin', 'A zeppelin over the sea']
      expect(await found('zepp'), state).toEqual(both)
      expect(await found('zeppelin', 1), state).toEqual(both.slice(0, 1))
      expect(await found('second zepp'), state).toEqual(['The second zeppelin'])
      expect(await found('parrot'), state).toEqual([])
      instance.advance(5 * 60_000)
      await indexSettled(instance.ctx)
    }
  })

  test('searches only the agents that were talked to last, and ends when the caller leaves', async () => {
    for (let n = 0; n < agentsSearched - 1; n += 1) await talk(ada, `More ${n}`, 'A balloon')
    expect(await found('zeppelin')).toEqual(['The second zeppelin'])
    await talk(ada, 'Last', 'A balloon')
    expect(await found('zeppelin')).toEqual([])
    await expect(found('balloon', 6, AbortSignal.abort())).rejects.toThrow()
  })
})
