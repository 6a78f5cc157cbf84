import { describe, expect, test } from 'vitest'
import { updateAgent, type AgentPatch } from '#features/agents/index.ts'
import { setCreditCap, setPrice } from '#features/credits/index.ts'
import { setProvider } from '#features/providers/index.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { addAction, loopback } from '#test/support/chat/agent-with-actions.ts'
import {
  answerOf,
  describeChat,
  readFrames,
  type ChatService,
  type OpenChat,
} from '#test/support/chat/chat-service.ts'
import { startServer } from '#test/support/servers/model-server.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

type Scripts = Readonly<Record<string, ModelScript>>

/** An agent with fallback models on one server, where each model has a script. */
async function openWith(
  open: OpenChat,
  scripts: Scripts,
  settings: AgentPatch = { model: 'openai/first', fallback_models: ['openai/second'] },
  environment: Readonly<Record<string, string>> = {},
): Promise<ChatService> {
  const chat = await open({
    model: { script: ({ body }) => scripts[String(body.model)] ?? { reply: `${body.model} here` } },
    environment: { MODEL_FIRST_BYTE_TIMEOUT_MS: '300', ...environment },
  })
  await updateAgent(chat.ctx, chat.owner, chat.agent.id, settings)
  return chat
}

/** The models that were called, in order. */
const called = ({ model }: ChatService) => model.requests.map(({ body }) => body.model)

const refusing = (status: number): ModelScript => ({ reply: '', status })
const image = {
  type: 'image_url',
  image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' },
}
const lookUp = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: {} } },
}

describeChat('models that fail', (open) => {
  describe.each([false, true])(
    'before the first word (stream: %s), the next model answers',
    (stream) => {
      const dead = { OLLAMA_BASE_URL: 'http://127.0.0.1:9' }
      test.each<[string, ModelScript, string]>([
        ['429', refusing(429), 'openai/first'],
        ['500', refusing(500), 'openai/first'],
        ['a timeout', { reply: '', firstByteMs: 2_000 }, 'openai/first'],
        ['no connection', refusing(500), 'ollama/first'],
      ])('after %s', async (_, first, model) => {
        const settings = { model, fallback_models: ['openai/second'] }
        const chat = await openWith(open, { first }, settings, dead)
        const response = await chat.say('?', { stream })
        expect(response.headers.get('x-model')).toBe('openai/second')
        const shown = stream ? (await readFrames(response))[0] : await answerOf(response)
        // The caller's model is the agent, whichever model answers.
        expect(shown).toMatchObject({ model: chat.agent.app_name_id })
        const { read } = chat.ctx.db
        const stored = read.selectFrom('chat_messages').select(['content', 'model'])
        expect(await stored.where('role', '=', 'assistant').execute()).toEqual([
          { content: 'second here', model: 'openai/second' },
        ])
        expect(await read.selectFrom('credit_entries').select('model').execute()).toEqual([
          { model: 'openai/second' },
        ])
      })
    },
  )

  test('and the Responses API names the model that answers, too', async () => {
    const chat = await openWith(open, { first: refusing(500) })
    for (const stream of [false, true]) {
      const response = await chat.app.request('/api/v1/responses', {
        method: 'POST',
        headers: { authorization: `Bearer ${chat.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: chat.agent.app_name_id, input: '?', stream }),
      })
      expect(response.headers.get('x-model')).toBe('openai/second')
      expect(await response.text()).toContain('second here')
    }
  })

  test('an agent without fallback models has no such header', async () => {
    const chat = await open()
    expect((await chat.say('?')).headers.has('x-model')).toBe(false)
  })

  test.each([400, 401])('status %i of a provider calls no other model', async (status) => {
    const chat = await openWith(open, { first: refusing(status) })
    expect((await chat.say('?')).status).toBe(502)
    expect(called(chat)).toEqual(['first'])
  })

  test('no other model answers once the caller has a part of the answer', async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const delta = { choices: [{ index: 0, delta: { content: 'Half an' } }] }
      response.write(`data: ${JSON.stringify(delta)}\n\n`)
    })
    const chat = await open({ server, environment: { MODEL_IDLE_TIMEOUT_MS: '300' } })
    const settings = { model: 'openai/first', fallback_models: ['openai/second'] }
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, settings)
    const frames = await readFrames(await chat.say('?', { stream: true }))
    expect(frames.at(-1)).toHaveProperty('error')
    expect(called(chat)).toEqual(['first'])
  })

  test('no other model answers once the caller has a part of the reasoning', async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const delta = { choices: [{ index: 0, delta: { reasoning_content: 'Let me' } }] }
      response.write(`data: ${JSON.stringify(delta)}\n\n`)
    })
    const chat = await open({ server, environment: { MODEL_IDLE_TIMEOUT_MS: '300' } })
    const settings = { model: 'openai/first', fallback_models: ['openai/second'] }
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, settings)
    const frames = await readFrames(await chat.say('?', { stream: true }))
    expect(frames.at(-1)).toHaveProperty('error')
    expect(called(chat)).toEqual(['first'])
  })

  test('if all fail, the failure of the first one is reported and stored', async () => {
    const chat = await openWith(open, { first: refusing(429), second: refusing(400) })
    const response = await chat.say('?')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5'])
    expect(called(chat)).toEqual(['first', 'second'])
    const failed = chat.ctx.db.read.selectFrom('chat_messages').select('model')
    expect(await failed.where('error_code', 'is not', null).execute()).toEqual([
      { model: 'openai/first' },
    ])
  })

  test('another model answers if the queue of model calls is full', async () => {
    const settings = { model: 'openai/first', fallback_models: ['local/extractive'] }
    const queue = { MODEL_CALLS_AT_ONCE: '1', MODEL_CALLS_WAITING: '0' }
    const environment = { ...queue, MODEL_FIRST_BYTE_TIMEOUT_MS: '60000' }
    const slow = { reply: 'late', firstByteMs: 1_000 }
    const chat = await openWith(open, { first: slow }, settings, environment)
    const running = chat.say('?')
    await chat.model.request(0)
    expect((await chat.say('?')).headers.get('x-model')).toBe('local/extractive')
    expect((await running).headers.get('x-model')).toBe('openai/first')
  })

  test('a model that failed several times in a row is not called for a time', async () => {
    const scripts: Record<string, ModelScript> = { first: refusing(500) }
    const chat = await openWith(open, scripts, undefined, {
      MODEL_CIRCUIT_FAILURES: '2',
      MODEL_CIRCUIT_OPEN_MS: '1000',
    })
    for (let turn = 0; turn < 3; turn += 1) expect((await chat.say('?')).status).toBe(200)
    expect(called(chat)).toEqual(['first', 'second', 'first', 'second', 'second'])
    chat.advance(1000)
    scripts.first = { reply: 'back' }
    expect((await answerOf(chat.say('?'))).choices[0].message.content).toBe('back')
    expect((await answerOf(chat.say('?'))).choices[0].message.content).toBe('back')
  })

  test('failures of one workspace’s own key do not count for another workspace', async () => {
    const chat = await openWith(open, { first: refusing(429) }, undefined, {
      MODEL_CIRCUIT_FAILURES: '1',
    })
    const { ctx } = chat
    const owner = await chat.person({ plan: 'builder' })
    await setProvider(ctx, owner.workspaceId, { provider: 'openai', apiKey: 'sk-own' })
    const own = await chat.makeAgent({ owner })
    const settings = { model: 'openai/first', fallback_models: ['openai/second'] }
    await updateAgent(ctx, owner, own.id, settings)
    const messages = [{ role: 'user', content: '?' }]
    const body = { model: own.app_name_id, messages }
    for (let turn = 0; turn < 2; turn += 1)
      expect((await chat.post(body, { authorization: `Bearer ${own.key}` })).status).toBe(200)
    expect(called(chat)).toEqual(['first', 'second', 'second'])
    expect((await chat.say('?')).status).toBe(200)
    expect(called(chat).slice(3)).toEqual(['first', 'second'])
  })

  test('if the circuits of all models are open, the agent’s own model is called', async () => {
    const chat = await openWith(open, { first: refusing(500), second: refusing(500) }, undefined, {
      MODEL_CIRCUIT_FAILURES: '1',
    })
    await chat.say('?')
    await chat.say('?')
    expect(called(chat)).toEqual(['first', 'second', 'first'])
  })

  describe('a fallback model that cannot do what the request needs is left out', () => {
    const models = ['openai/gpt-4o-audio-preview', 'anthropic/claude-sonnet-4-5', 'openai/gpt-4.1']
    const settings = { model: 'openai/gpt-4o', fallback_models: models }
    test.each<[string, object, string]>([
      [
        'images',
        { messages: [{ role: 'user', content: [{ type: 'text', text: '?' }, image] }], seed: 1 },
        'gpt-4.1',
      ],
      ['tools', { tools: [lookUp], seed: 1 }, 'gpt-4.1'],
      ['nothing special', {}, 'gpt-4o-audio-preview'],
    ])('%s', async (_, fields, answering) => {
      const environment = { ANTHROPIC_API_KEY: 'k' }
      const chat = await openWith(open, { 'gpt-4o': refusing(500) }, settings, environment)
      const response = await chat.say('?', { ...fields })
      expect(response.headers.get('x-model')).toBe(`openai/${answering}`)
      expect(called(chat)).toEqual(['gpt-4o', answering])
    })
  })

  test.each([false, true])(
    'an agent with tools is answered by a model of an unknown name, too (stream: %s)',
    async (stream) => {
      const server = await startActionServer(json({ celsius: 21 }))
      const chat = await openWith(open, { first: refusing(429) }, undefined, loopback)
      await addAction(chat, { url: `${server.origin}/weather` })
      const response = await chat.say('?', { stream })
      expect(response.headers.get('x-model')).toBe('openai/second')
      expect(await response.text()).toContain('second here')
      expect(chat.model.requests.map(({ body }) => [body.model, 'tools' in body])).toEqual([
        ['first', true],
        ['second', true],
      ])
    },
  )

  test('all calls of a turn are of the model that answered the first one', async () => {
    const server = await startActionServer(json({ celsius: 21 }))
    const toolCalls = [{ name: 'get_weather', arguments: {} }]
    let asked = 0
    const chat = await open({
      model: {
        script: ({ body }) => {
          if (body.model === 'first') return asked === 0 ? refusing(500) : { reply: 'wrong' }
          asked += 1
          return asked === 1 ? { reply: '', toolCalls } : { reply: 'Done.' }
        },
      },
      environment: loopback,
    })
    const settings = { model: 'openai/first', fallback_models: ['openai/gpt-4o'] }
    await updateAgent(chat.ctx, chat.owner, chat.agent.id, settings)
    await addAction(chat, { url: `${server.origin}/weather` })
    const answer = await answerOf(chat.say('?'))
    expect(answer.choices[0].message.content).toBe('Done.')
    expect(called(chat)).toEqual(['first', 'gpt-4o', 'gpt-4o'])
  })

  describe('credits', () => {
    const million = 1_000_000
    const perToken = (credits: number) => ({
      promptMicrosPerMillion: credits * million,
      completionMicrosPerMillion: credits * million,
      callMicros: 0,
    })

    test('are those of the model that answers', async () => {
      const chat = await openWith(open, { first: refusing(500) })
      const { ctx, owner } = chat
      await setPrice(ctx, owner.userId, { pattern: 'openai/first', price: perToken(1) })
      await setPrice(ctx, owner.userId, { pattern: 'openai/second', price: perToken(3) })
      expect((await chat.say('?')).status).toBe(200)
      const entry = ctx.db.read.selectFrom('credit_entries').select('amount_micros')
      expect(await entry.execute()).toEqual([{ amount_micros: -3 * (9 + 5) }])
    })

    test('that do not cover a fallback model leave it out', async () => {
      const chat = await openWith(open, { first: refusing(429) })
      const { ctx, owner } = chat
      await setPrice(ctx, owner.userId, { pattern: 'openai/second', price: perToken(3) })
      const cap = { subject: 'workspace', subjectId: '', period: 'day', amountMicros: 10 } as const
      await setCreditCap(ctx, owner, cap)
      expect((await chat.say('?')).status).toBe(429)
      expect(called(chat)).toEqual(['first'])
      expect(await ctx.db.read.selectFrom('credit_reservations').selectAll().execute()).toEqual([])
    })
  })

  test('a fallback model must be known, and has one spelling', async () => {
    const { ctx, owner, agent } = await open({ environment: { GOOGLE_API_KEY: 'k' } })
    const change = (fallback_models: string[]) =>
      updateAgent(ctx, owner, agent.id, { fallback_models })
    const { settings } = await change(['google/models/Gemini-2.5-Pro'])
    expect(settings.fallback_models).toEqual(['google/gemini-2.5-pro'])
    await expect(change(['nowhere/model'])).rejects.toMatchObject({ code: 'model_unknown' })
  })
})
