import { expect } from 'vitest'
import { revokeAgentKey } from '#features/api-keys/index.ts'
import { isUuid } from '#kernel/ids.ts'
import { answerOf, describeChat, readFrames } from '#test/support/chat/chat-service.ts'
import { verifies } from './verifies.ts'

const hello = [{ role: 'user', content: 'hello' }]

describeChat('chat completions in the interface', (open) => {
  const setUp = async () => await open({ model: { reply: 'Hello from the model.' } })

  verifies(['chat.endpoint', 'chat.purpose', 'chat.versioning', 'chat.auth.key'], async () => {
    const { say } = await setUp()
    const response = await say('hello')
    expect(response.status).toBe(200)
    const { choices } = await answerOf(response)
    expect(choices[0].message.content).toBe('Hello from the model.')
  })

  verifies(
    [
      'chat.response.session',
      'chat.response.id',
      'chat.response.object',
      'chat.response.created',
      'chat.response.model',
      'chat.response.choices',
      'chat.response.usage',
      'chat.session.uuid',
    ],
    async () => {
      const { say, agent, ctx } = await setUp()
      const answer = await answerOf(say('hello'))
      expect(answer).toStrictEqual({
        chatSessionId: expect.toSatisfy(isUuid),
        id: expect.stringMatching(/^chatcmpl-[0-9a-f]+$/),
        object: 'chat.completion',
        created: Math.floor(ctx.clock.now() / 1000),
        model: agent.app_name_id,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'Hello from the model.' },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
      })
    },
  )

  verifies(['chat.request.model', 'chat.error.model'], async () => {
    const { post, agent } = await setUp()
    expect(agent.app_name_id).toMatch(/^[a-z0-9-]+-\d+$/)
    for (const model of [undefined, null, 7, {}, ['x'], '']) {
      const response = await post({ model, messages: hello })
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ error: '`model` is required and must be a string' })
    }
  })

  verifies(['chat.request.messages', 'chat.error.messages'], async () => {
    const { post, agent } = await setUp()
    for (const messages of [undefined, null, 'hi', {}, []]) {
      const response = await post({ model: agent.app_name_id, messages })
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ error: '`messages` must be a non-empty array' })
    }
  })

  verifies('chat.request.role', async () => {
    const { post, agent, model } = await setUp()
    const messages = ['system', 'user', 'assistant', 'user'].map((role) => ({
      role,
      content: role,
    }))
    expect((await post({ model: agent.app_name_id, messages })).status).toBe(200)
    expect(model.requests[0]?.body.messages).toEqual(messages)
    for (const role of [undefined, 'robot', 7]) {
      const response = await post({ model: agent.app_name_id, messages: [{ role, content: 'x' }] })
      expect(response.status).toBe(400)
    }
  })

  verifies('chat.request.content', async () => {
    const { post, agent } = await setUp()
    for (const content of [undefined, null, 7, { text: 'x' }]) {
      const response = await post({
        model: agent.app_name_id,
        messages: [{ role: 'user', content }],
      })
      expect(response.status).toBe(400)
      expect((await answerOf(response)).error).toContain('messages[0].content')
    }
  })

  verifies('chat.request.stream', async () => {
    const { say } = await setUp()
    expect((await say('hello', { stream: false })).headers.get('content-type')).toMatch(/json/)
    expect((await say('hello')).headers.get('content-type')).toMatch(/json/)
    const streamed = await say('hello', { stream: true })
    expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const frames = await readFrames(streamed)
    expect(frames.at(-1)).toEqual({ done: true })
  })

  verifies(
    ['chat.request.session', 'chat.session.loaded', 'chat.session.new', 'chat.purpose.session'],
    async () => {
      const { say, model } = await setUp()
      const { chatSessionId } = await answerOf(say('my name is Ada'))
      const other = await answerOf(say('who are you?'))
      expect(other.chatSessionId).not.toBe(chatSessionId)
      const again = await answerOf(say('what is my name?', { chatSessionId }))
      expect(again.chatSessionId).toBe(chatSessionId)
      expect(model.requests[1]?.body.messages).toEqual([{ role: 'user', content: 'who are you?' }])
      expect(model.requests[2]?.body.messages).toEqual([
        { role: 'user', content: 'my name is Ada' },
        { role: 'assistant', content: 'Hello from the model.' },
        { role: 'user', content: 'what is my name?' },
      ])
    },
  )

  verifies('chat.session.header', async () => {
    const { post, say, agent } = await setUp()
    const first = await answerOf(say('one'))
    const second = await answerOf(say('two'))
    const body = { model: agent.app_name_id, messages: [{ role: 'user', content: 'three' }] }
    const byHeader = await post(body, { 'x-chat-session-id': first.chatSessionId })
    expect((await answerOf(byHeader)).chatSessionId).toBe(first.chatSessionId)
    const both = await post(
      { ...body, chatSessionId: second.chatSessionId },
      { 'x-chat-session-id': first.chatSessionId },
    )
    expect((await answerOf(both)).chatSessionId).toBe(second.chatSessionId)
  })

  verifies(['chat.header.authorization', 'chat.error.missing-key', 'chat.error.body'], async () => {
    const { app } = await setUp()
    for (const headers of [{}, { authorization: '' }, { authorization: 'Basic eDp5' }]) {
      const response = await app.request('/api/v1/chat/completions', { method: 'POST', headers })
      expect(response.status).toBe(401)
      expect(await response.json()).toStrictEqual({ error: 'Missing API key' })
    }
  })

  verifies('chat.error.bad-key', async () => {
    const { post, key, ctx, owner } = await setUp()
    const refused = async (authorization: string) => {
      const response = await post({}, { authorization })
      expect(response.status).toBe(401)
      expect(await response.json()).toStrictEqual({ error: 'Invalid API key' })
    }
    await refused('Bearer nonsense')
    await refused(`Bearer ${key}x`)
    await refused(`Bearer svc_sk_${'a'.repeat(43)}`)
    const row = await ctx.db.read.selectFrom('api_keys').select('id').executeTakeFirstOrThrow()
    await revokeAgentKey(ctx, owner.workspaceId, 'chat', row.id)
    await refused(`Bearer ${key}`)
  })

  verifies(['chat.error.plan', 'chat.plan'], async () => {
    const { post } = await open({ plan: 'free' })
    const response = await post('not even JSON')
    expect(response.status).toBe(401)
    const { error } = await answerOf(response)
    expect(error).toMatch(/^This API is only available on a paid plan\. .*[Uu]pgrade/)
    for (const plan of ['builder', 'studio', 'enterprise'] as const)
      expect((await (await open({ plan })).say('hello')).status).toBe(200)
  })

  verifies('chat.error.unknown-agent', async () => {
    const { post } = await setUp()
    const response = await post({ model: 'nobody-99999', messages: hello })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: 'Unknown model "nobody-99999"' })
  })

  verifies('chat.error.server', async () => {
    const { say, ctx } = await setUp()
    await ctx.db.write((tx) =>
      tx.updateTable('agents').set({ settings_json: '{"not":"settings"}' }).execute(),
    )
    const response = await say('hello')
    expect(response.status).toBe(500)
    expect(await response.json()).toStrictEqual({ error: 'Internal Server Error' })
  })

  verifies('chat.header.content-type', async () => {
    const { post, agent } = await setUp()
    const body = { model: agent.app_name_id, messages: hello }
    expect((await post(body, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post(body, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(
      200,
    )
  })

  verifies('chat.header.correlation', async () => {
    const { post, agent, ctx } = await setUp()
    const body = { model: agent.app_name_id, messages: hello }
    const response = await post(body, { 'x-correlation-id': 'trace-42' })
    expect(response.headers.get('x-correlation-id')).toBe('trace-42')
    const stored = await ctx.db.read.selectFrom('chat_messages').select('correlation_id').execute()
    expect(stored.map((row) => row.correlation_id)).toEqual(['trace-42', 'trace-42'])
    expect((await post(body)).headers.get('x-correlation-id')).toMatch(/.+/)
  })
})
