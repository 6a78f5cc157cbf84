import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { collect, createTestModels, modelRequest } from '#test/support/servers/model-requests.ts'
import {
  startModelServer,
  startServer,
  type Handler,
  type ModelServer,
  type ModelServerOptions,
} from '#test/support/servers/model-server.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

function withModels(server: ModelServer, answerCharacters?: number) {
  const test = createTestModels({
    origin: server.origin,
    firstByteTimeoutMs: 300,
    idleTimeoutMs: 300,
    ...(answerCharacters === undefined ? {} : { answerCharacters }),
  })
  cleanups.push(() => server.stop(), test.close)
  return { server, ...test }
}

const scripted = async (options: ModelServerOptions, answerCharacters?: number) =>
  withModels(await startModelServer(options), answerCharacters)
const handled = async (handler: Handler) => withModels(await startServer(handler))

interface Text {
  readonly text: string
}

/** The body of a request in the format of Anthropic or Google. */
interface Asked {
  readonly system?: readonly Text[]
  readonly messages?: readonly { readonly content: readonly Text[] }[]
  readonly systemInstruction?: { readonly parts: readonly Text[] }
  readonly contents?: readonly { readonly parts: readonly Text[] }[]
}

// The server parsed what the package sent.
const asked = (server: ModelServer) => server.requests[0]?.body as Asked

function instructionsOf(server: ModelServer): string[] {
  const { system, systemInstruction } = asked(server)
  return (system ?? systemInstruction?.parts ?? []).map(({ text }) => text)
}

function saidTo(server: ModelServer): string[] {
  const { messages, contents } = asked(server)
  const parts = messages?.flatMap(({ content }) => content) ?? contents?.flatMap((one) => one.parts)
  return (parts ?? []).map(({ text }) => text)
}

describe.each(['anthropic', 'google'])('%s', (provider) => {
  const access = { provider, apiKey: 'sk-secret', baseUrl: null, trusted: true }
  const request = (changes = {}) => modelRequest({ access, ...changes })

  it('returns a whole answer and its usage in OpenAI’s words', async () => {
    const { models } = await scripted({
      script: () => ({
        reply: 'Hello',
        finishReason: 'length',
        usage: { prompt: 3, completion: 4 },
      }),
    })
    expect(await models.complete(request())).toEqual({
      text: 'Hello',
      finishReason: 'length',
      usage: { promptTokens: 3, completionTokens: 4 },
      citedPassages: null,
    })
  })

  it('reports a filtered answer as content_filter', async () => {
    const { models } = await scripted({
      script: () => ({ reply: 'No.', finishReason: 'content_filter' }),
    })
    expect((await models.complete(request())).finishReason).toBe('content_filter')
  })

  it('streams the answer as it arrives', async () => {
    const { models } = await scripted({
      script: () => ({ reply: ['One', ' two', ' three'], chunkMs: 40 }),
    })
    const { batches, finish, error } = await collect(models.stream(request()))
    expect(error).toBeNull()
    expect(batches.filter((text) => text !== '')).toEqual(['One', ' two', ' three'])
    expect(finish).toMatchObject({
      finishReason: 'stop',
      usage: { promptTokens: 9, completionTokens: 5 },
    })
  })

  it('receives the system message, the conversation, images and settings', async () => {
    const { models, server } = await scripted({})
    await models.complete(
      request({
        temperature: 0.5,
        maxOutputTokens: 50,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'hello' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
            ],
          },
        ],
      }),
    )
    const sent = JSON.stringify(server.requests[0]?.body)
    for (const part of [
      'Be brief.',
      'hello',
      'What is this?',
      'iVBORw0KGgo=',
      'image/png',
      '0.5',
      '50',
    ])
      expect(sent).toContain(part)
    expect(JSON.stringify(server.requests[0]?.headers)).toContain('sk-secret')
  })

  it('receives system messages of later turns with the first one, each text once', async () => {
    const { models, server } = await scripted({})
    const system = (content: string) => ({ role: 'system' as const, content })
    const user = (content: string) => ({ role: 'user' as const, content })
    const messages = [
      system('You help.'),
      user('notes'),
      system('Be brief.'),
      user('first'),
      { role: 'assistant' as const, content: 'answer' },
      system('In French.'),
      system('Be brief.'),
      user('second'),
    ]
    await models.complete(request({ messages }))
    expect(instructionsOf(server)).toEqual(['You help.', 'In French.', 'Be brief.'])
    expect(saidTo(server)).toEqual(['notes', 'first', 'answer', 'second'])
    expect(server.requests[0]?.headers).not.toHaveProperty('anthropic-beta')
  })

  it('is asked to continue when a system message is the last', async () => {
    const { models, server } = await scripted({})
    const [user, answer] = ['first', 'answer']
    const messages = [
      { role: 'user' as const, content: user },
      { role: 'assistant' as const, content: answer },
      { role: 'system' as const, content: 'Say goodbye.' },
    ]
    await models.complete(request({ messages }))
    expect(instructionsOf(server)).toEqual(['Say goodbye.'])
    expect(saidTo(server)).toEqual(['first', 'answer', 'Please continue.'])
  })

  it('closes its socket within 200 ms when the caller disconnects', async () => {
    const { models, server } = await scripted({
      script: () => ({ reply: Array.from({ length: 500 }, () => 'x'), chunkMs: 5 }),
    })
    const controller = new AbortController()
    const batches = models.stream(request({ signal: controller.signal }))
    await batches.next()
    controller.abort(new Error('disconnected'))
    await expect(batches.next()).rejects.toThrow('disconnected')
    const deadline = performance.now() + 200
    while (server.openSockets() > 0 && performance.now() < deadline) await sleep(1)
    expect(server.openSockets()).toBe(0)
  })

  it.each([
    [400, 'refused_request'],
    [401, 'rejected'],
    [404, 'refused_request'],
    [429, 'limited'],
    [500, 'unreachable'],
    [529, 'unreachable'],
  ])(
    'that answers %i fails as %s without a retry, and the log never contains the key',
    async (status, reason) => {
      const { models, server, logged } = await handled((response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' })
        response.end('{"error":{"message":"no: sk-secret","type":"x","status":"X","code":1}}')
      })
      await expect(models.complete(request())).rejects.toMatchObject({
        reason,
        retryAfterSeconds: 7,
      })
      expect((await collect(models.stream(request()))).error).toMatchObject({ reason })
      expect(server.requests).toHaveLength(2)
      expect(logged).toHaveLength(2)
      expect(logged.join('')).not.toContain('sk-secret')
    },
  )

  it.each([
    [99, null],
    [101, { reason: 'bad_answer' }],
  ])('with an answer of %i characters, of which 100 are allowed', async (length, failure) => {
    const { models } = await scripted({ reply: Array.from({ length }, () => 'x') }, 100)
    const whole = models.complete(request())
    if (failure === null) expect((await whole).text).toHaveLength(length)
    else await expect(whole).rejects.toMatchObject(failure)
    const { text, error } = await collect(models.stream(request()))
    if (failure === null) expect([error, text.length]).toEqual([null, length])
    else expect(error).toMatchObject(failure)
    expect(text.length).toBeLessThanOrEqual(100)
  })

  it('that stalls fails as timeout, mid-stream too', async () => {
    const { models } = await handled((response, _request, n) => {
      if (n === 0) return
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': nothing yet\n\n')
    })
    await expect(models.complete(request())).rejects.toMatchObject({ reason: 'timeout' })
    expect((await collect(models.stream(request()))).error).toMatchObject({ reason: 'timeout' })
  })

  it('that sends garbage, or ends early, fails as bad_answer', async () => {
    const { models } = await handled((response, _request, n) => {
      response.writeHead(200, {
        'content-type': n === 0 ? 'application/json' : 'text/event-stream',
      })
      response.end(n === 0 ? '<html>' : 'data: {"half\n\n')
    })
    await expect(models.complete(request())).rejects.toMatchObject({ reason: 'bad_answer' })
    expect((await collect(models.stream(request()))).error).toMatchObject({ reason: 'bad_answer' })
  })

  it('that cuts the connection mid-stream fails as bad_answer after the text it sent', async () => {
    const whole = await scripted({ script: () => ({ reply: ['Half an', ' answer'], chunkMs: 30 }) })
    const { models } = whole
    const iterator = models.stream(request())
    await iterator.next()
    await whole.server.stop()
    cleanups.shift()
    await expect(
      (async () => {
        while ((await iterator.next()).done !== true);
      })(),
    ).rejects.toMatchObject({ reason: 'bad_answer' })
  })
})
