import { afterEach, describe, expect, it } from 'vitest'
import { collect, createTestModels, modelRequest } from '#test/support/servers/model-requests.ts'
import {
  startModelServer,
  startServer,
  type ModelServer,
  type ModelServerOptions,
} from '#test/support/servers/model-server.ts'
import type { ModelMessage, ModelRequest, ModelTool } from '#platform/models/model.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

function withModels(server: ModelServer) {
  const test = createTestModels({ origin: server.origin })
  cleanups.push(() => server.stop(), test.close)
  return { server, ...test }
}

const scripted = async (options: ModelServerOptions) => withModels(await startModelServer(options))

const weather: ModelTool = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
}

const asked = [
  { name: 'get_weather', arguments: { city: 'Zürich ☀' } },
  { name: 'get_weather', arguments: { city: 'Oslo' } },
]

describe.each(['openai', 'anthropic', 'google'])('%s', (provider) => {
  const access = { provider, apiKey: 'sk-secret', baseUrl: null, trusted: true }
  const request = (changes: Partial<ModelRequest> = {}) =>
    modelRequest({ access, tools: [weather], ...changes })

  it('receives the tools of a request, and no tool fields without them', async () => {
    const { server, models } = await scripted({ reply: 'Fine.' })
    await models.complete(request())
    await models.complete(modelRequest({ access }))
    const [offered, plain] = server.requests.map(({ body }) => JSON.stringify(body))
    for (const part of ['get_weather', 'The weather of a city', '"city"'])
      expect(offered).toContain(part)
    expect(plain).not.toMatch(/tool/)
  })

  it('receives tools that it may not call', async () => {
    const { server, models } = await scripted({ reply: 'Fine.' })
    await models.complete(request({ toolChoice: 'none' }))
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(
      /"tool_choice":("none"|{"type":"none"})|"mode":"NONE"/,
    )
  })

  it('calls several tools in a whole answer', async () => {
    const { models } = await scripted({
      script: () => ({ reply: 'Let me see.', toolCalls: asked }),
    })
    const answer = await models.complete(request())
    expect(answer).toMatchObject({ text: 'Let me see.', finishReason: 'tool_calls' })
    expect(
      answer.toolCalls?.map(({ name, arguments: written }) => [name, JSON.parse(written)]),
    ).toEqual(asked.map((call) => [call.name, call.arguments]))
    expect(new Set(answer.toolCalls?.map(({ id }) => id)).size).toBe(2)
  })

  it('calls several tools in a stream, with arguments assembled from their pieces', async () => {
    const { models } = await scripted({
      script: () => ({ reply: ['Let ', 'me see.'], toolCalls: asked, chunkMs: 1 }),
    })
    const { text, finish } = await collect(models.stream(request()))
    expect(text).toBe('Let me see.')
    expect(finish).toMatchObject({ finishReason: 'tool_calls' })
    expect(
      finish?.toolCalls?.map(({ name, arguments: written }) => [name, JSON.parse(written)]),
    ).toEqual(asked.map((call) => [call.name, call.arguments]))
  })

  it('calls a tool without any text', async () => {
    const { models } = await scripted({ script: () => ({ reply: '', toolCalls: asked.slice(1) }) })
    expect(await models.complete(request())).toMatchObject({ text: '', finishReason: 'tool_calls' })
    const { text, finish } = await collect(models.stream(request()))
    expect(text).toBe('')
    expect(finish?.toolCalls).toHaveLength(1)
  })

  it('receives its calls with their results, each beside its call', async () => {
    const { server, models } = await scripted({
      script: (_, n) => (n === 0 ? { reply: '', toolCalls: asked } : { reply: 'Sunny.' }),
    })
    const { toolCalls = [] } = await models.complete(request())
    const results = toolCalls.map(({ id, name }, place): ModelMessage => ({
      role: 'tool',
      toolCallId: id,
      toolName: name,
      content: `result-${place}`,
    }))
    const messages: ModelMessage[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', toolCalls },
      ...results,
    ]
    expect(await models.complete(request({ messages }))).toMatchObject({ text: 'Sunny.' })
    const sent = JSON.stringify(server.requests[1]?.body)
    for (const part of ['Zürich ☀', 'Oslo', 'result-0', 'result-1']) expect(sent).toContain(part)
    expect(sent.indexOf('result-0')).toBeLessThan(sent.indexOf('result-1'))
    if (provider === 'google') expect(sent).toContain('signed-get_weather')
    else for (const { id } of toolCalls) expect(sent.split(JSON.stringify(id)).length).toBe(3)
  })
})

describe('A server with its own variant of OpenAI’s format', () => {
  const answering = async (body: string, type = 'application/json') =>
    withModels(
      await startServer((response) => {
        response.writeHead(200, { 'content-type': type })
        response.end(body)
      }),
    )
  const request = () => modelRequest({ tools: [weather] })
  const call = { function: { name: 'get_weather', arguments: { city: 'Oslo' } } }

  it('may write arguments as an object, leave out the id and finish with stop', async () => {
    const message = { content: null, tool_calls: [call] }
    const { models } = await answering(
      JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }),
    )
    expect(await models.complete(request())).toMatchObject({
      finishReason: 'tool_calls',
      toolCalls: [{ id: 'call_0', name: 'get_weather', arguments: '{"city":"Oslo"}' }],
    })
  })

  it('may stream calls without an index, whole', async () => {
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason: finish }] })}\n\n`
    const { models } = await answering(
      chunk({ tool_calls: [{ id: 'a', ...call }] }) +
        chunk({ tool_calls: [{ id: 'b', ...call }] }) +
        chunk({}, 'stop'),
      'text/event-stream',
    )
    const { finish } = await collect(models.stream(request()))
    expect(finish?.toolCalls?.map(({ id, arguments: text }) => [id, text])).toEqual([
      ['a', '{"city":"Oslo"}'],
      ['b', '{"city":"Oslo"}'],
    ])
  })

  it('may mix the pieces of two calls, and repeat a name', async () => {
    const piece = (index: number, more: object) => ({
      tool_calls: [{ index, function: { name: 'get_weather', ...more } }],
    })
    const deltas = [
      piece(0, { arguments: '{"city"' }),
      piece(1, { arguments: '{"city":"B' }),
      piece(0, { arguments: ':"A"}' }),
      piece(1, { arguments: '"}' }),
    ]
    const { models } = await answering(
      [...deltas, {}]
        .map(
          (delta, at) =>
            `data: ${JSON.stringify({ choices: [{ delta, finish_reason: at === 4 ? 'tool_calls' : null }] })}\n\n`,
        )
        .join(''),
      'text/event-stream',
    )
    const { finish } = await collect(models.stream(request()))
    expect(finish?.toolCalls?.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['get_weather', '{"city":"A"}'],
      ['get_weather', '{"city":"B"}'],
    ])
  })
})
