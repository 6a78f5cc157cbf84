import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { conversationOperations } from './conversations.ts'
import { runOperation } from '#operations/run-operation.ts'

// A client may choose any UUID for its session, also one without a version.
const sessionId = 'abcdef00-0000-0000-0000-00000000000f'
const at = Date.parse('2026-01-02T03:04:05.678Z')

const citation = {
  source_id: newId(),
  title: 'Handbook',
  url: null,
  page: 3,
  heading: 'Returns',
  passage: 'Thirty days.',
  score: 4.2,
}

describeInstance('conversation operations', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Talker' })
    await storeConversation()
  })

  async function storeConversation() {
    const plain = {
      session_id: sessionId,
      parts_json: null,
      error_code: null,
      correlation_id: 'c-1',
      created_at: at,
    }
    const question = {
      seq: 1,
      id: newId(),
      role: 'user',
      content: 'How long?',
      model: null,
      prompt_tokens: null,
      completion_tokens: null,
      cached_tokens: null,
      latency_ms: null,
      first_token_ms: null,
      finish_reason: null,
      citations_json: null,
    }
    const answer = {
      seq: 2,
      id: newId(),
      role: 'assistant',
      content: 'Thirty days. [1]',
      model: 'local/extractive',
      prompt_tokens: 12,
      completion_tokens: 4,
      cached_tokens: null,
      latency_ms: 20,
      first_token_ms: 5,
      finish_reason: 'stop',
      citations_json: JSON.stringify([citation]),
    }
    await instance.ctx.db.write(async (tx) => {
      await tx
        .insertInto('chat_sessions')
        .values({
          id: sessionId,
          workspace_id: ada.workspaceId,
          agent_id: agent.id,
          agent_version: 1,
          source: 'api',
          end_user: 'visitor-7',
          created_at: at,
          last_message_at: at,
          message_count: 2,
          lease_token: null,
          lease_until: 0,
        })
        .execute()
      await tx
        .insertInto('chat_messages')
        .values({ ...plain, ...question })
        .execute()
      await tx
        .insertInto('chat_messages')
        .values({ ...plain, ...answer })
        .execute()
    })
  }

  function call(name: string, input: Record<string, unknown>) {
    const operation = conversationOperations.find((one) => one.name === name)!
    return runOperation(instance.ctx, actorOf(ada), operation, input)
  }

  const shown = () => ({
    id: sessionId,
    app_id: agent.id,
    app_name_id: agent.appNameId,
    app_version: 1,
    source: 'api',
    end_user: 'visitor-7',
    message_count: 2,
    created_at: '2026-01-02T03:04:05.678Z',
    last_message_at: '2026-01-02T03:04:05.678Z',
  })

  test('a list contains a record for each conversation, without its messages', async () => {
    const list = await call('list_conversations', { app_id: agent.appNameId })
    expect(list).toEqual({
      items: [{ ...shown(), question: 'How long?', rating: null }],
      next_cursor: null,
    })
  })

  test('a conversation is its record and its messages, the answer with its citations', async () => {
    const found = await call('get_conversation', { session_id: sessionId.toUpperCase() })
    expect(found).toMatchObject(shown())
    expect(found.messages).toMatchObject({
      items: [
        { seq: 1, role: 'user', content: 'How long?', citations: [], correlation_id: 'c-1' },
        {
          seq: 2,
          role: 'assistant',
          content: 'Thirty days. [1]',
          model: 'local/extractive',
          prompt_tokens: 12,
          completion_tokens: 4,
          finish_reason: 'stop',
          error_code: null,
          citations: [citation],
          created_at: '2026-01-02T03:04:05.678Z',
        },
      ],
      next_cursor: null,
    })
  })

  test('its messages are listed page by page', async () => {
    const first = await call('get_conversation', { session_id: sessionId, limit: 1 })
    const { items, next_cursor } = first.messages as { items: unknown[]; next_cursor: string } // A list.
    expect(items).toMatchObject([{ seq: 1 }])
    const rest = await call('get_conversation', { session_id: sessionId, cursor: next_cursor })
    expect(rest.messages).toMatchObject({ items: [{ seq: 2 }], next_cursor: null })
  })
})
