import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import {
  collect,
  createTestModels,
  modelRequest,
  type TestModelsOptions,
} from '#test/support/servers/model-requests.ts'
import {
  startModelServer,
  startServer,
  type ModelServer,
  type ModelServerOptions,
} from '#test/support/servers/model-server.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function setUp(
  options: ModelServerOptions | ModelServer = {},
  models: Partial<TestModelsOptions> = {},
) {
  const server = 'origin' in options ? options : await startModelServer(options)
  const test = createTestModels({ origin: server.origin, ...models })
  cleanups.push(() => server.stop(), test.close)
  return { server, ...test }
}

async function untilClosed(server: ModelServer, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (server.openSockets() > 0 && performance.now() < deadline) await sleep(1)
  expect(server.openSockets()).toBe(0)
}

describe('A whole answer', () => {
  it('has its text, its finish reason and the provider’s usage', async () => {
    const { models } = await setUp({
      script: () => ({
        reply: 'Hello',
        finishReason: 'length',
        usage: { prompt: 3, completion: 4 },
      }),
    })
    expect(await models.complete(modelRequest())).toEqual({
      text: 'Hello',
      finishReason: 'length',
      usage: { promptTokens: 3, completionTokens: 4 },
      citedPassages: null,
    })
  })

  it('has no usage if the provider reports none', async () => {
    const { models } = await setUp({ script: () => ({ reply: 'Hello', usage: null }) })
    expect((await models.complete(modelRequest())).usage).toBeNull()
  })

  it('is requested with the key, the messages and only the settings that are set', async () => {
    const { models, server } = await setUp()
    await models.complete(
      modelRequest({
        temperature: 0,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
        ],
      }),
    )
    const [request] = server.requests
    expect(request?.path).toBe('/v1/chat/completions')
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer sk-secret',
      'content-type': 'application/json',
    })
    expect(request?.body).toEqual({
      model: 'mock',
      temperature: 0,
      stream: false,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    })
  })

  it('is limited by the field that the model knows', async () => {
    const { models, server } = await setUp()
    for (const model of ['llama3', 'gpt-5.2', 'openai/o3'])
      await models.complete(modelRequest({ model, maxOutputTokens: 9 }))
    expect(
      server.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens]),
    ).toEqual([
      [9, undefined],
      [undefined, 9],
      [undefined, 9],
    ])
  })

  it('is requested with images in OpenAI’s form', async () => {
    const { models, server } = await setUp()
    const url = 'data:image/png;base64,AAAA'
    await models.complete(
      modelRequest({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image', url },
            ],
          },
        ],
      }),
    )
    expect(server.requests[0]?.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ])
  })
})

describe('A stream', () => {
  it('returns the text as it arrives, one batch per packet, and the usage at the end', async () => {
    const { models, server } = await setUp({
      script: () => ({ reply: ['One', ' two', ' three'], chunkMs: 40 }),
    })
    const { batches, finish, error } = await collect(models.stream(modelRequest()))
    expect(error).toBeNull()
    expect(batches.filter((text) => text !== '')).toEqual(['One', ' two', ' three'])
    expect(finish).toEqual({
      type: 'finish',
      finishReason: 'stop',
      usage: { promptTokens: 9, completionTokens: 5 },
      citedPassages: null,
    })
    expect(server.requests[0]?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('that comes in one packet is one batch', async () => {
    const { models } = await setUp({ reply: Array.from({ length: 40 }, (_, i) => ` ${i}`) })
    const steps = await Array.fromAsync(models.stream(modelRequest()))
    expect(steps).toMatchObject([{ texts: { length: 40 } }, { type: 'finish' }])
  })

  it('releases its connection for the next call', async () => {
    const { models, server } = await setUp({ reply: ['a', 'b'] })
    for (let i = 0; i < 4; i += 1) {
      await collect(models.stream(modelRequest()))
      await models.complete(modelRequest())
      await sleep(5)
    }
    // A connection is reusable one turn of the event loop later: a call before that opens another.
    expect(server.connections()).toBeLessThanOrEqual(2)
    expect(server.requests).toHaveLength(8)
  })

  it('with a slow reader makes the server wait', async () => {
    let written = 0
    const server = await startServer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const text = 'x'.repeat(400)
      const id = 'y'.repeat(7600)
      const chunk = `data: {"id":"${id}","choices":[{"delta":{"content":"${text}"}}]}\n\n`
      while (written < 4000) {
        written += 1
        if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve))
      }
      response.end('data: [DONE]\n\n')
    })
    const { models } = await setUp(server)
    const batches = models.stream(modelRequest())
    await batches.next()
    await sleep(200)
    const whileStopped = written
    expect(whileStopped).toBeLessThan(4000)
    await sleep(50)
    expect(written).toBe(whileStopped)
    while ((await batches.next()).done !== true) await nextTurn()
    expect(written).toBe(4000)
  })
})

describe('A disconnect', () => {
  it('closes the socket of the provider within 200 ms while the caller waits for a whole answer', async () => {
    const { models, server } = await setUp({ script: () => ({ reply: 'late', firstByteMs: 5000 }) })
    const controller = new AbortController()
    const answer = models.complete(modelRequest({ signal: controller.signal }))
    await server.request(0)
    controller.abort(new Error('disconnected'))
    await expect(answer).rejects.toThrow('disconnected')
    await untilClosed(server, 200)
  })

  it('closes the socket of the provider within 200 ms in the middle of a stream', async () => {
    const { models, server } = await setUp({
      script: () => ({ reply: Array.from({ length: 1000 }, () => 'x'), chunkMs: 5 }),
    })
    const controller = new AbortController()
    const batches = models.stream(modelRequest({ signal: controller.signal }))
    await batches.next()
    controller.abort(new Error('disconnected'))
    await untilClosed(server, 200)
    await expect(batches.next()).rejects.toThrow('disconnected')
  })

  it('by leaving the loop over a stream also closes the socket', async () => {
    const { models, server } = await setUp({
      script: () => ({ reply: Array.from({ length: 1000 }, () => 'x'), chunkMs: 5 }),
    })
    for await (const step of models.stream(modelRequest())) if (step.type === 'texts') break
    await untilClosed(server, 200)
  })

  it('before the call opens no connection', async () => {
    const { models, server } = await setUp()
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(models.complete(modelRequest({ signal }))).rejects.toThrow('gone')
    expect((await collect(models.stream(modelRequest({ signal })))).error).toMatchObject({
      message: 'gone',
    })
    expect(server.connections()).toBe(0)
  })

  it('is not logged as a failure of the model', async () => {
    const { models, server, logged } = await setUp({
      script: () => ({ reply: 'late', firstByteMs: 5000 }),
    })
    const controller = new AbortController()
    const answer = models.complete(modelRequest({ signal: controller.signal }))
    await server.request(0)
    controller.abort()
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
    expect(logged).toEqual([])
  })
})

describe('An answer of more than two million characters', () => {
  const reply = Array.from({ length: 199 }, () => 'x'.repeat(10_000))

  it('is refused, streamed or not', async () => {
    const { models } = await setUp({ reply: [...reply, ...reply.slice(0, 2)] })
    const refused = { reason: 'bad_answer' }
    await expect(models.complete(modelRequest())).rejects.toMatchObject(refused)
    const { text, error } = await collect(models.stream(modelRequest()))
    expect(error).toMatchObject(refused)
    expect(text.length).toBeLessThanOrEqual(2_000_000)
  })

  it('is not one with fewer', async () => {
    const { models } = await setUp({ reply })
    expect((await models.complete(modelRequest())).text).toBe(reply.join(''))
    expect(await collect(models.stream(modelRequest()))).toMatchObject({ error: null })
  })
})
