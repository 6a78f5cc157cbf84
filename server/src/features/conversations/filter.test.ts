import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { rateAnswer } from '#features/analytics/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { storeSession, type MessageInput } from '#test/support/chat/chat-history.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import type { ConversationFilter } from './conversation-filter.ts'
import { indexSettled } from './index-conversations.ts'
import { listConversations } from './list-conversations.ts'

const noon = Date.parse('2026-01-01T12:00:00Z')

describeInstance('a list of conversations', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent
  const named = new Map<string, string>()

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Talker' })
    await talk('refund', 'How do I get a refund?', { model: 'openai/a' }, { source: 'widget' })
    await talk('late', 'Where are my parcels?', { error_code: 'model_timeout' }, { endUser: 'bob' })
    await talk('vain', 'Do you sell unicorns?', { citations_json: '[]' }, { at: noon - 2 * dayMs })
    await talk('long', 'Refunds of parcels, please', { content: 'Gladly.' }, { more: 4 })
    const rated = { sessionId: named.get('refund')!, messageId: null, comment: null }
    await rateAnswer(instance.ctx, ada, { ...rated, rating: 'up' })
  })

  async function talk(
    name: string,
    content: string,
    answer: Partial<MessageInput>,
    {
      at = noon,
      more = 0,
      ...session
    }: { at?: number; more?: number; source?: string; endUser?: string } = {},
  ) {
    const rest = Array.from({ length: more }, (_, n) => ({ role: 'user' as const, at: at + n }))
    const messages = [
      { role: 'user' as const, at, content },
      { ...answer, role: 'assistant' as const, at: at + 1 },
      ...rest,
    ]
    const place = { workspaceId: ada.workspaceId, agentId: agent.id }
    const { id } = await storeSession(instance.ctx.db, { ...place, ...session, messages })
    named.set(name, id)
  }

  async function found(filter: ConversationFilter): Promise<string[]> {
    const page = await listConversations(instance.ctx, ada.workspaceId, agent.id, {
      limit: 100,
      ...filter,
    })
    const names = new Map([...named].map(([name, id]) => [id, name]))
    return page.items.map(({ id }) => names.get(id) ?? id).toSorted()
  }

  const everything = ['late', 'long', 'refund', 'vain']

  test.each<[string, ConversationFilter, string[]]>([
    ['nothing', {}, everything],
    ['a start time', { from: noon - dayMs }, ['late', 'long', 'refund']],
    ['an end time', { to: noon }, ['vain']],
    ['its channel', { source: 'widget' }, ['refund']],
    ['its end user', { endUser: 'bob' }, ['late']],
    ['a rating', { rating: 'up' }, ['refund']],
    ['another rating', { rating: 'down' }, []],
    ['an error', { hasError: true }, ['late']],
    ['no error', { hasError: false }, ['long', 'refund', 'vain']],
    ['a search without an answer', { unanswered: true }, ['vain']],
    ['a model', { model: 'openai/a' }, ['refund']],
    ['its length', { minMessages: 6 }, ['long']],
    ['several at once', { hasError: false, source: 'api', from: noon - dayMs }, ['long']],
  ])('is narrowed by %s', async (_, filter, expected) => {
    expect(await found(filter)).toEqual(expected)
  })

  test('shows the first message and the rating of each', async () => {
    const { items } = await listConversations(instance.ctx, ada.workspaceId, agent.id, {
      limit: 1,
      source: 'widget',
    })
    expect(items).toMatchObject([{ question: 'How do I get a refund?', rating: 'up' }])
  })

  describe.each(['before it is in the index', 'after it is'])('searched, %s', (when) => {
    beforeAll(async () => {
      if (when === 'after it is') await indexSettled(instance.ctx)
    })

    test.each<[string, string[]]>([
      ['refund', ['long', 'refund']],
      ['REFUNDS', ['long', 'refund']],
      ['refund parcel', ['long']],
      ['gladly refund', ['long']],
      ['unicorn', ['vain']],
      ['dragon', []],
      ['the', []],
      ['"; drop', []],
    ])(
      'for %j contains the conversations with all of the words, in any form',
      async (query, expected) => {
        expect(await found({ query })).toEqual(expected)
      },
    )

    test('and filtered contains the conversations that match both', async () => {
      expect(await found({ query: 'refund', source: 'widget' })).toEqual(['refund'])
    })

    test('reveals nothing of other agents’ conversations', async () => {
      const other = await createAgent(instance.ctx, ada, { name: 'Other' })
      const page = await listConversations(instance.ctx, ada.workspaceId, other.id, {
        limit: 100,
        query: 'refund',
      })
      expect(page.items).toEqual([])
    })
  })

  test('finds words that were said partly before and partly after a conversation was indexed', async () => {
    await indexSettled(instance.ctx)
    const soon = { at: instance.ctx.clock.now() }
    await talk('split', 'A zeppelin', {}, { at: noon })
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('chat_messages')
        .set({ content: 'over Friedrichshafen', created_at: soon.at })
        .where('session_id', '=', named.get('split')!)
        .where('seq', '=', 2)
        .execute(),
    )
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('watermarks')
        .set({ reached_at: noon - dayMs })
        .where('name', '=', 'conversation_search')
        .execute(),
    )
    await indexSettled(instance.ctx)
    expect(await found({ query: 'zeppelin friedrichshafen' })).toEqual(['split'])
  })
})
