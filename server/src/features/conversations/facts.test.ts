import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { rateAnswer } from '#features/analytics/index.ts'
import { storeSession, type MessageInput } from '#test/support/chat/chat-history.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import type { ConversationFilter } from './conversation-filter.ts'
import { listConversations } from './list-conversations.ts'

describeInstance('the facts by which conversations are filtered', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Talker' })
  })

  /** Stores a conversation of one answer and `more` messages. */
  async function talk(answer: Partial<MessageInput>, more = 0): Promise<string> {
    const rest = Array.from({ length: more }, () => ({ role: 'user' as const, at: 3 }))
    const messages = [
      { role: 'user' as const, at: 1, content: 'Hello' },
      { ...answer, role: 'assistant' as const, at: 2 },
      ...rest,
    ]
    const place = { workspaceId: ada.workspaceId, agentId: agent.id }
    return (await storeSession(instance.ctx.db, { ...place, messages })).id
  }

  async function has(id: string, filter: ConversationFilter): Promise<boolean> {
    const page = { limit: 100, ...filter }
    const { items } = await listConversations(instance.ctx, ada.workspaceId, agent.id, page)
    return items.some((item) => item.id === id)
  }

  const change = (id: string, set: { error_code?: string | null; citations_json?: string }) =>
    instance.ctx.db.write((tx) =>
      tx
        .updateTable('chat_messages')
        .set(set)
        .where('session_id', '=', id)
        .where('seq', '=', 2)
        .execute(),
    )

  test('are in the session: a list that is filtered reads no other messages', async () => {
    const failed = await talk({ error_code: 'model_timeout', model: 'openai/b' })
    await instance.ctx.db.write((tx) =>
      tx.deleteFrom('chat_messages').where('session_id', '=', failed).execute(),
    )
    expect(await has(failed, { hasError: true, model: 'openai/b' })).toBe(true)
    expect(await has(failed, { hasError: false })).toBe(false)
  })

  test('name models with any characters', async () => {
    const odd = ['odd/"quoted"', String.raw`odd/back\slash`, 'odd/{a,b}', 'odd/%']
    const ids = await Promise.all(odd.map((model) => talk({ model })))
    for (const [n, model] of odd.entries())
      for (const [m, id] of ids.entries()) expect(await has(id, { model })).toBe(n === m)
    expect(await has(ids[0] ?? '', { model: 'odd/' })).toBe(false)
  })

  test('name more models than a session lists', async () => {
    const models = Array.from({ length: 12 }, (_, n) => `many/${'m'.repeat(50)}-${n}`)
    const messages = models.map((model) => ({ role: 'assistant' as const, at: 1, model }))
    const place = { workspaceId: ada.workspaceId, agentId: agent.id }
    const { id } = await storeSession(instance.ctx.db, { ...place, messages })
    for (const model of models) expect(await has(id, { model })).toBe(true)
    expect(await has(id, { model: 'many/m' })).toBe(false)
  })

  test('follow a message that is changed', async () => {
    const id = await talk({ error_code: 'interrupted' })
    expect(await has(id, { hasError: true })).toBe(true)
    await change(id, { error_code: null, citations_json: '[]' })
    expect(await has(id, { hasError: true })).toBe(false)
    expect(await has(id, { unanswered: true })).toBe(true)
  })

  test('follow a rating that is changed or removed', async () => {
    const id = await talk({})
    const rate = (rating: 'up' | 'down' | null) =>
      rateAnswer(instance.ctx, ada, { sessionId: id, messageId: null, comment: null, rating })
    await rate('up')
    expect(await has(id, { rating: 'up' })).toBe(true)
    await rate('down')
    expect(await has(id, { rating: 'up' })).toBe(false)
    expect(await has(id, { rating: 'down' })).toBe(true)
    await rate(null)
    expect(await has(id, { rating: 'down' })).toBe(false)
  })

  test('include every model, also when too many have answered to list them', async () => {
    const id = await talk({ model: 'openai/first' })
    for (let n = 0; n < 40; n += 1)
      await instance.ctx.db.write((tx) =>
        sql`insert into chat_messages (session_id, seq, id, role, content, model, created_at)
          values (${id}, ${10 + n}, ${`${id}-${n}`}, 'assistant', '', ${`openai/a-long-name-${n}`}, 4)`.execute(
          tx,
        ),
      )
    for (const model of ['openai/first', 'openai/a-long-name-3', 'openai/a-long-name-39'])
      expect(await has(id, { model })).toBe(true)
    expect(await has(id, { model: 'openai/a-long' })).toBe(false)
  })

  test.each([1, 2, 3, 4, 7, 8, 9, 63, 64, 65])('know at least %d messages', async (minMessages) => {
    const [fewer, exactly] = [await talk({}, minMessages - 3), await talk({}, minMessages - 2)]
    expect(await has(exactly, { minMessages })).toBe(true)
    if (minMessages > 2) expect(await has(fewer, { minMessages })).toBe(false)
  })
})
