import { beforeAll, expect, test } from 'vitest'
import { createAgent, deleteAgent, type Agent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { placeOfRecord } from '#features/workspaces/index.ts'
import { getConversation } from './get-conversation.ts'
import { listConversations } from './list-conversations.ts'

describeInstance('reading conversations', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Talker' })
  })

  /** Stores a conversation as turns would leave it. */
  async function store(of: Agent, id: string, options: { at: number; messages?: number }) {
    const { at, messages = 0 } = options
    const session = {
      id,
      workspace_id: of.workspaceId,
      agent_id: of.id,
      agent_version: 1,
      source: 'api',
      end_user: null,
      created_at: at,
      last_message_at: at,
      message_count: messages,
      lease_token: null,
      lease_until: 0,
    }
    const rows = Array.from({ length: messages }, (_, n) => ({
      session_id: id,
      seq: n + 1,
      id: newId(),
      role: n % 2 === 0 ? 'user' : 'assistant',
      content: `message ${n + 1}`,
      parts_json: n === 0 ? '[{"type":"text","text":"message 1"}]' : null,
      model: null,
      prompt_tokens: null,
      completion_tokens: null,
      cached_tokens: null,
      latency_ms: null,
      first_token_ms: null,
      finish_reason: null,
      error_code: null,
      citations_json: n === 1 ? JSON.stringify([{ title: 'Handbook' }]) : null,
      correlation_id: null,
      created_at: at + n,
    }))
    await instance.ctx.db.write(async (tx) => {
      await tx.insertInto('chat_sessions').values(session).execute()
      for (const row of rows) await tx.insertInto('chat_messages').values(row).execute()
    })
  }

  test('a list begins with the most recently started conversation, regardless of the ids that clients chose', async () => {
    const talker = await createAgent(instance.ctx, ada, { name: 'Listed' })
    const ids = [
      'ffffffff-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
      '99999999-0000-4000-8000-000000000003',
      '11111111-0000-4000-8000-000000000004',
    ] as const
    await store(talker, ids[0], { at: 1000, messages: 1 })
    await store(talker, ids[1], { at: 2000, messages: 1 })
    await store(talker, ids[2], { at: 2000, messages: 1 })
    await store(talker, ids[3], { at: 3000, messages: 1 })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await listConversations(instance.ctx, ada.workspaceId, talker.appNameId, {
        limit: 1,
        cursor,
      })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual([ids[3], ids[2], ids[1], ids[0]])
  })

  test('messages are returned oldest first, page by page', async () => {
    const id = newId()
    await store(agent, id, { at: 5000, messages: 5 })
    const first = await getConversation(instance.ctx, ada.workspaceId, id, { limit: 3 })
    expect(first).toMatchObject({
      id,
      appId: agent.id,
      appNameId: agent.appNameId,
      messageCount: 5,
      createdAt: 5000,
    })
    expect(first.messages.items.map(({ seq, role, content }) => [seq, role, content])).toEqual([
      [1, 'user', 'message 1'],
      [2, 'assistant', 'message 2'],
      [3, 'user', 'message 3'],
    ])
    const cursor = first.messages.nextCursor ?? undefined
    const rest = await getConversation(instance.ctx, ada.workspaceId, id, { limit: 3, cursor })
    expect(rest.messages.items.map(({ seq }) => seq)).toEqual([4, 5])
    expect(rest.messages.nextCursor).toBeNull()
  })

  test('a message shows its citations, and whether it contained more than text', async () => {
    const id = newId()
    await store(agent, id, { at: 6000, messages: 2 })
    const { messages } = await getConversation(instance.ctx, ada.workspaceId, id, { limit: 10 })
    expect(messages.items.map(({ hasParts }) => hasParts)).toEqual([true, false])
    expect(messages.items.map(({ citations }) => citations)).toEqual([[], [{ title: 'Handbook' }]])
  })

  test('another workspace’s conversation is treated as unknown', async () => {
    const id = newId()
    await store(agent, id, { at: 7000, messages: 1 })
    const bob = await instance.person()
    const notFound = { code: 'record_not_found', facts: {} }
    const request = { limit: 10 }
    const { ctx } = instance
    await expect(getConversation(ctx, bob.workspaceId, id, request)).rejects.toMatchObject(notFound)
    await expect(getConversation(ctx, ada.workspaceId, newId(), request)).rejects.toMatchObject(
      notFound,
    )
    await expect(listConversations(ctx, bob.workspaceId, agent.id, request)).rejects.toMatchObject(
      notFound,
    )
    const place = await placeOfRecord(ctx, 'chat_sessions', id)
    expect(place).toMatchObject({ workspaceId: ada.workspaceId })
    expect(await placeOfRecord(ctx, 'chat_sessions', newId())).toBeUndefined()
  })

  test('a conversation outlives its agent', async () => {
    const gone = await createAgent(instance.ctx, ada, { name: 'Gone' })
    const id = newId()
    await store(gone, id, { at: 8000, messages: 1 })
    await deleteAgent(instance.ctx, ada.workspaceId, gone.id)
    const found = await getConversation(instance.ctx, ada.workspaceId, id, { limit: 10 })
    expect(found).toMatchObject({ appNameId: gone.appNameId, messageCount: 1 })
  })
})
