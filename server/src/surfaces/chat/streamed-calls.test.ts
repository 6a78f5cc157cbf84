import { describe, expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { addAction, loopback } from '#test/support/chat/agent-with-actions.ts'
import { describeChat, readFrames, type ChatService } from '#test/support/chat/chat-service.ts'
import { startServer } from '#test/support/servers/model-server.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'
import { eventsOf, responsesOf } from '#test/support/chat/open-responses.ts'

const lookUp = { name: 'look_up', parameters: { type: 'object', properties: {} } }
const tools = [{ type: 'function', function: lookUp }]
const written = '{"word":"tea"}'
const call = { name: 'look_up', arguments: written }

interface Delta {
  readonly content?: string | null
  readonly tool_calls?: readonly {
    readonly index: number
    readonly id?: string
    readonly function: { readonly name?: string; readonly arguments: string }
  }[]
}

function deltasOf(frames: Awaited<ReturnType<typeof readFrames>>): Delta[] {
  return frames.flatMap(({ choices }) => {
    const [choice] = (choices ?? []) as { delta: Delta }[] // A chunk.
    return choice === undefined ? [] : [choice.delta]
  })
}

/** The arguments of the calls, by their index, as a client puts them together. */
function argumentsOf(deltas: readonly Delta[]): string[] {
  const all: string[] = []
  for (const { index, function: made } of deltas.flatMap(({ tool_calls: calls = [] }) => calls))
    all[index] = (all[index] ?? '') + made.arguments
  return all
}

/** Reads a stream until it contains a text, calls `then`, and returns the whole stream. */
async function readOn(response: Response, part: RegExp, then: () => void): Promise<Response> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let isSeen = false
  for (;;) {
    const { value, done } = await reader.read()
    text += value ?? ''
    if (!isSeen && part.test(text)) {
      isSeen = true
      then()
    }
    if (done) return new Response(text, response)
  }
}

describeChat('calls of the caller’s tools', (open) => {
  /** A model that ends its answer only when the caller has seen what it called. */
  async function setUp(script: ModelScript, environment = {}) {
    const { promise: endsAfter, resolve: endAnswer } = Promise.withResolvers<void>()
    const held = (_: unknown, n: number) =>
      n === 0 ? { ...script, endsAfter } : { reply: 'Done.' }
    const chat = await open({
      model: { script: held },
      environment: { ...loopback, ...environment },
    })
    return { chat, endAnswer }
  }

  describe('reach the caller while the model writes them', () => {
    test.each(['openai', 'anthropic'])('as chunks, of a model of %s', async (provider) => {
      const { chat: models, endAnswer } = await setUp({ reply: '', toolCalls: [call] })
      const chat = await open({
        environment: {
          [`${provider.toUpperCase()}_API_KEY`]: 'k',
          [`${provider.toUpperCase()}_BASE_URL`]:
            provider === 'openai' ? models.model.baseUrl : models.model.origin,
        },
      })
      await updateAgent(chat.ctx, chat.owner, chat.agent.id, { model: `${provider}/some-model` })
      const response = await chat.say('What is tea?', { tools, stream: true })
      const frames = await readFrames(await readOn(response, /ea\\"\}/, endAnswer))
      const deltas = deltasOf(frames)
      expect(deltas[0]).toEqual({ role: 'assistant', content: null })
      expect(deltas[1]).toEqual({
        tool_calls: [
          {
            index: 0,
            id: 'call_0',
            type: 'function',
            function: { name: 'look_up', arguments: '' },
          },
        ],
      })
      expect(argumentsOf(deltas)).toEqual([written])
      expect(frames.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
    })

    test('as events of a response, after its text', async () => {
      const { chat, endAnswer } = await setUp({ reply: 'Let me see.', toolCalls: [call] })
      const { post, get } = responsesOf(chat)
      const asked = {
        input: 'What is tea?',
        stream: true,
        tools: [{ type: 'function', ...lookUp }],
      }
      const events = await eventsOf(await readOn(await post(asked), /ea\\"\}/, endAnswer))
      const ofCall = events.filter(({ output_index: n }) => n === 1)
      const deltas = ofCall.filter(({ type }) => type.endsWith('arguments.delta'))
      expect(deltas.map(({ delta }) => delta).join('')).toBe(written)
      expect(ofCall.at(0)).toMatchObject({
        type: 'response.output_item.added',
        item: { type: 'function_call', status: 'in_progress', arguments: '' },
      })
      const { response } = events.at(-1) ?? {}
      expect(response?.output).toMatchObject([
        { type: 'message', phase: 'commentary' },
        { type: 'function_call', status: 'completed', arguments: written },
      ])
      expect((await get(response?.id ?? '')).output).toEqual(response?.output)
    })

    test('but not those of the agent’s own tools beside them', async () => {
      const api = await startActionServer(json({ temperature: 21 }))
      const own = { id: 'call_own', name: 'get_weather', arguments: {} }
      const toolCalls = [own, call, { ...call, id: 'call_c' }]
      const { chat, endAnswer } = await setUp({ reply: '', toolCalls })
      await addAction(chat, { url: api.origin })
      const response = await chat.say('What is tea?', { tools, stream: true })
      const frames = await readFrames(await readOn(response, /ea\\"\}/, endAnswer))
      expect(JSON.stringify(frames)).not.toContain('get_weather')
      expect(argumentsOf(deltasOf(frames))).toEqual([written, written])
      expect(api.requests).toHaveLength(1)
    })
  })

  test('are not shown at all if an action beside them asks the user', async () => {
    const api = await startActionServer(json({}))
    const toolCalls = [call, { id: 'call_own', name: 'order', arguments: {} }]
    const script = (_: unknown, n: number) =>
      n === 0 ? { reply: '', toolCalls } : { reply: 'I would order.' }
    const chat = await open({ model: { script }, environment: loopback })
    await addAction(chat, { name: 'order', url: api.origin, requires_confirmation: true })
    const frames = await readFrames(await chat.say('Order tea', { tools, stream: true }))
    expect(JSON.stringify(frames)).not.toContain('tool_calls')
    expect(frames.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
  })

  describe('that a model breaks off', () => {
    /** A provider that falls silent within the arguments of a call. */
    async function breaking() {
      const server = await startServer((response, _, n) => {
        if (n > 0) return void response.writeHead(500).end()
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const named = { name: 'look_up', arguments: '{"w' }
        const made = { index: 0, id: 'call_0', type: 'function', function: named }
        const delta = { role: 'assistant', content: null, tool_calls: [made] }
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`)
      })
      const chat = await open({ server, environment: { MODEL_IDLE_TIMEOUT_MS: '300' } })
      const fallbacks = { fallback_models: ['openai/other'] }
      await updateAgent(chat.ctx, chat.owner, chat.agent.id, fallbacks)
      return chat
    }
    const asked = ({ model }: ChatService) => model.requests.map(({ body }) => body.model)

    test('end the stream with an error, and no other model is asked', async () => {
      const chat = await breaking()
      const frames = await readFrames(await chat.say('What is tea?', { tools, stream: true }))
      expect(argumentsOf(deltasOf(frames))).toEqual(['{"w'])
      expect(frames.at(-1)).toMatchObject({ error: { message: expect.any(String) } })
      expect(asked(chat)).toEqual(['mock'])
    })

    test('are incomplete items of a failed response, which nobody is asked to make', async () => {
      const chat = await breaking()
      const { stream, get } = responsesOf(chat)
      const events = await stream({ input: 'tea?', tools: [{ type: 'function', ...lookUp }] })
      expect(events.at(-2)).toMatchObject({
        type: 'response.output_item.done',
        item: { type: 'function_call', status: 'incomplete', arguments: '{"w' },
      })
      const { response } = events.at(-1) ?? {}
      expect(response).toMatchObject({ status: 'failed', output: [] })
      expect(await get(response?.id ?? '')).toMatchObject({ status: 'failed', output: [] })
    })
  })
})
