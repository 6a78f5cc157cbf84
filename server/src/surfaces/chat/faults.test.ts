import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { Fault, faultKinds } from '#kernel/fault.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'
import {
  startMisbehavingModelServer,
  type Misbehaviour,
} from '#test/support/servers/misbehaving-model-server.ts'
import { chatRefusals, toChatFault } from './fault-table.ts'

describe('the fault table', () => {
  test.each(faultKinds)('kind %s has its own status and message', (kind) => {
    const { status, message } = toChatFault(new Fault({ code: 'a_code_of_tomorrow', kind }))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(message).not.toBe('')
  })

  test('a reason phrase contains nothing that the caller sent; only the message does', () => {
    const unknown = new Fault({ code: 'agent_unknown', kind: 'not_found' }, { model: 'mine\r\n' })
    expect(toChatFault(unknown)).toMatchObject({ reason: 'Unknown model' })
    const invalid = new Fault({ code: 'request_invalid', kind: 'invalid' }, { problem: 'of mine' })
    expect(toChatFault(invalid)).toStrictEqual({ status: 400, message: 'of mine' })
  })

  test('an error that is not a fault reveals nothing about itself', () => {
    const fault = toChatFault(new Error('password=hunter2'))
    expect(fault).toStrictEqual({
      status: 500,
      message: 'Internal Server Error',
      reason: 'Internal Server Error',
    })
  })

  test('the page of the chat API lists each of its statuses', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/chat-api.md'), 'utf8')
    // No fault of chat is of a kind with the status 403.
    const statuses = chatRefusals.map(({ status }) => status).filter((status) => status !== 403)
    for (const status of statuses) expect(page).toMatch(new RegExp(`^- .*\\b${status}\\b.*: `, 'm'))
  })
})

const messages = [{ role: 'user', content: 'hello' }]

describeChat('refusals of the chat surface', (open) => {
  test('the order of refusals: key, plan, body, model, messages, agent', async () => {
    const { app, post, key } = await open()
    const send = (headers: Record<string, string>, body: string) =>
      app.request('/api/v1/chat/completions', { method: 'POST', headers, body })
    const json = { 'content-type': 'application/json' }
    const bearer = { authorization: `Bearer ${key}` }
    expect((await send({}, '{')).status).toBe(401)
    expect((await send({ ...bearer, 'content-type': 'text/plain' }, '{')).status).toBe(415)
    expect((await send({ ...bearer, ...json }, '{')).status).toBe(400)
    const withoutModel = await post({ messages: [] })
    expect(await withoutModel.json()).toEqual({ error: '`model` is required and must be a string' })
    const withoutMessages = await post({ model: 'nobody-1', messages: [] })
    expect(await withoutMessages.json()).toEqual({ error: '`messages` must be a non-empty array' })
    const badMessage = await post({ model: 'nobody-1', messages: [{ role: 'robot' }] })
    expect(badMessage.status).toBe(400)
    expect((await post({ model: 'nobody-1', messages })).status).toBe(404)
  })

  test.each([
    ['', 'Missing API key'],
    ['Bearer', 'Missing API key'],
    ['Basic YTpi', 'Missing API key'],
    ['Bearer a', 'Invalid API key'],
    ['Bearer a b', 'Invalid API key'],
    ['Bearer svc_ck_a, Bearer svc_ck_b', 'Invalid API key'],
  ])('the header %j gets the error %j', async (authorization, error) => {
    const { app } = await open()
    const asked = { method: 'POST', headers: { authorization } }
    const refused = await app.request('/api/v1/chat/completions', asked)
    expect(refused.status).toBe(401)
    expect(await refused.json()).toEqual({ error })
  })

  test('more messages than MAX_REQUEST_MESSAGES are answered 400 with the limit', async () => {
    const { post, agent } = await open({ environment: { MAX_REQUEST_MESSAGES: '3' } })
    const send = (count: number) =>
      post({ model: agent.app_name_id, messages: Array(count).fill(messages[0]) })
    const refused = await send(4)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toEqual({ error: '`messages` must hold at most 3 messages' })
    expect((await send(3)).status).toBe(200)
  })

  test('more content parts than MAX_REQUEST_PARTS are answered 400 with the limit', async () => {
    const { post, agent } = await open({ environment: { MAX_REQUEST_PARTS: '3' } })
    const send = (count: number) => {
      const content = Array.from({ length: count }, () => ({ type: 'text', text: 'a' }))
      return post({ model: agent.app_name_id, messages: [{ role: 'user', content }] })
    }
    const refused = await send(4)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toEqual({ error: '`messages` must hold at most 3 content parts' })
    expect((await send(3)).status).toBe(200)
  })

  test('a body over MAX_BODY_BYTES is answered 413, declared or chunked', async () => {
    const { post, app, key, agent } = await open({ environment: { MAX_BODY_BYTES: '2048' } })
    const long = JSON.stringify({
      model: agent.app_name_id,
      messages: [{ role: 'user', content: 'x'.repeat(4_096) }],
    })
    const declared = await post(long, { 'content-length': String(long.length) })
    expect(declared.status).toBe(413)
    expect(await declared.json()).toEqual({ error: 'The request body is larger than 2048 bytes' })
    const chunked = await app.request(
      new Request('http://localhost/api/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: new Blob([long]).stream(),
        duplex: 'half',
      }),
    )
    expect(chunked.status).toBe(413)
  })

  test('another agent of the same workspace gets the error of a wrong key, a foreign one is unknown', async () => {
    const { post, makeAgent, person } = await open()
    const sibling = await makeAgent({ name: 'Sibling' })
    const stranger = await makeAgent({ name: 'Stranger', owner: await person() })
    const asked = async (model: string) => {
      const response = await post({ model, messages })
      return [response.status, await response.json()]
    }
    for (const model of [sibling.app_name_id, sibling.id])
      expect(await asked(model)).toEqual([401, { error: 'Invalid API key' }])
    for (const model of [stranger.app_name_id, stranger.id])
      expect(await asked(model)).toEqual([404, { error: `Unknown model "${model}"` }])
  })

  test('an expired key gets the error of an invalid one', async () => {
    const { say, ctx } = await open()
    const expires_at = ctx.clock.now()
    await ctx.db.write((tx) => tx.updateTable('api_keys').set({ expires_at }).execute())
    const response = await say('hello')
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ error: 'Invalid API key' })
  })

  test('a deleted agent is unknown', async () => {
    const { say, ctx, agent } = await open()
    await ctx.db.write((tx) => tx.updateTable('agents').set({ deleted_at: 1 }).execute())
    const response = await say('hello')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: `Unknown model "${agent.app_name_id}"` })
  })

  test('unknown paths and methods are answered in JSON', async () => {
    const { app } = await open()
    const unknown = await app.request('/api/v1/nothing')
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Not Found' }])
    const method = await app.request('/api/v1/chat/completions')
    expect([method.status, await method.json()]).toEqual([405, { error: 'Method Not Allowed' }])
    expect(method.headers.get('allow')).toContain('POST')
  })

  test('an image is refused if the model cannot read images', async () => {
    const { post, makeAgent } = await open()
    const blind = await makeAgent({ model: 'local/extractive' })
    const content = [
      { type: 'text', text: 'what is it?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ]
    const body = { model: blind.app_name_id, messages: [{ role: 'user', content }] }
    const response = await post(body, { authorization: `Bearer ${blind.key}` })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: `\`messages[0].content[1].image_url\` is not supported: the model of "${blind.app_name_id}" cannot read images`,
    })
  })

  test('an image is sent to a model that can read images', async () => {
    const { post, makeAgent, model } = await open()
    const seeing = await makeAgent({ model: 'openai/gpt-4o' })
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
    const content = [{ type: 'text', text: 'what is it?' }, image]
    const body = { model: seeing.app_name_id, messages: [{ role: 'user', content }] }
    expect((await post(body, { authorization: `Bearer ${seeing.key}` })).status).toBe(200)
    expect(model.requests[0]?.body.messages).toEqual([{ role: 'user', content }])
  })

  test('an image of an earlier turn is left out if the agent’s new model cannot read images', async () => {
    const { post, makeAgent, owner, ctx, model } = await open({ model: { reply: 'A cat.' } })
    const agent = await makeAgent({ model: 'openai/gpt-4o' })
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
    const shown = { role: 'user', content: [{ type: 'text', text: 'what is it?' }, image] }
    const ask = async (message: object, chatSessionId?: string) =>
      await post(
        { model: agent.app_name_id, messages: [message], chatSessionId },
        { authorization: `Bearer ${agent.key}` },
      )
    const sessionId = (await ask(shown)).headers.get('x-chat-session-id') ?? ''
    await updateAgent(ctx, owner, agent.id, { model: 'openai/mock' })
    const next = { role: 'user', content: 'what does it eat?' }
    expect((await ask(next, sessionId)).status).toBe(200)
    expect(model.requests[1]?.body.messages).toEqual([
      { role: 'user', content: 'what is it?' },
      { role: 'assistant', content: 'A cat.' },
      next,
    ])
  })

  test('requests beyond CHAT_RATE_LIMIT per minute get 429 with Retry-After', async () => {
    const { say } = await open({ environment: { CHAT_RATE_LIMIT: '2' } })
    expect((await say('1')).status).toBe(200)
    expect((await say('2')).status).toBe(200)
    const third = await say('3')
    expect(third.status).toBe(429)
    expect(await third.json()).toEqual({ error: 'Rate limit exceeded' })
    const wait = Number(third.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
  })

  test('a browser’s preflight allows whatever headers the client requests', async () => {
    const { app } = await open()
    const response = await app.request('/api/v1/chat/completions', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-headers')).toContain('x-stainless-lang')
  })
})

const timeouts = {
  MODEL_CONNECT_TIMEOUT_MS: '500',
  MODEL_FIRST_BYTE_TIMEOUT_MS: '150',
  MODEL_IDLE_TIMEOUT_MS: '150',
}

describeChat('a provider that', (open) => {
  const table: [Misbehaviour, number][] = [
    ['stalls before headers', 504],
    ['cuts before headers', 502],
    ['sends bytes that are not HTTP', 502],
    ['sends a web page', 502],
    ['sends an empty object', 502],
    ['sends an error object with status 200', 502],
    ['answers 429 in seconds', 429],
    ['answers 429 without a time', 429],
    ['answers 400', 502],
    ['answers 401', 502],
    ['answers 500', 502],
    ['answers 503', 502],
    ['redirects', 502],
  ]
  test.each(table)('%s is answered %i without its internals', async (misbehaviour, status) => {
    const server = await startMisbehavingModelServer(misbehaviour)
    const { say, ctx } = await open({ server, environment: timeouts })
    const response = await say('hello')
    expect(response.status).toBe(status)
    const body = await response.text()
    expect(Object.keys(JSON.parse(body))).toEqual(['error'])
    expect(body).not.toMatch(/127\.0\.0\.1|upstream|sk-test|ECONN/)
    expect(response.headers.has('retry-after')).toBe(status === 429)
    const rows = await ctx.db.read.selectFrom('chat_messages').selectAll().orderBy('seq').execute()
    expect(rows.map((row) => [row.role, row.error_code === null])).toEqual([
      ['user', true],
      ['assistant', false],
    ])
    const session = await ctx.db.read
      .selectFrom('chat_sessions')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(session).toMatchObject({ lease_token: null, message_count: 2 })
  })
})
