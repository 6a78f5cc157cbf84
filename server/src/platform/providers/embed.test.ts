import { afterEach, describe, expect, it } from 'vitest'
import {
  embed,
  startEmbeddingServer,
  type EmbeddingServer,
} from '#test/support/servers/embedding-server.ts'
import { createTestModels, modelName } from '#test/support/servers/model-requests.ts'
import { startServer, type Handler } from '#test/support/servers/model-server.ts'
import type { EmbeddingRequest } from '#platform/models/embedding.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

function modelsOf({ origin, stop }: Pick<EmbeddingServer, 'origin' | 'stop'>) {
  const test = createTestModels({ origin, firstByteTimeoutMs: 300 })
  cleanups.push(stop, test.close)
  return test.models
}

function requestTo(provider: string, changes: Partial<EmbeddingRequest> = {}): EmbeddingRequest {
  return {
    model: modelName('points'),
    access: { provider, apiKey: 'sk-secret', baseUrl: null, trusted: true },
    texts: ['grey heron', 'the pond'],
    purpose: 'document',
    signal: new AbortController().signal,
    ...changes,
  }
}

const answering = (body: unknown, status = 200): Handler => {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

describe.each(['openai', 'ollama', 'google'])('embeddings of %s', (provider) => {
  it('are one vector for each text, in order', async () => {
    const server = await startEmbeddingServer()
    const { vectors } = await modelsOf(server).embed(requestTo(provider))
    const expected = ['grey heron', 'the pond'].map((text) => embed(text, 'points', 64))
    expect(vectors.length).toBe(2)
    for (const [at, vector] of vectors.entries())
      for (const [place, value] of vector.entries())
        expect(value).toBeCloseTo(expected[at]![place]!, 6)
  })

  it('are one vector for one text', async () => {
    const server = await startEmbeddingServer()
    const { vectors } = await modelsOf(server).embed(requestTo(provider, { texts: ['heron'] }))
    expect(vectors.map(({ length }) => length)).toEqual([64])
  })

  it('distinguish a refused key, a rate limit and a server that is down', async () => {
    const server = await startEmbeddingServer()
    const models = modelsOf(server)
    for (const [status, reason] of [
      [401, 'rejected'],
      [429, 'limited'],
      [500, 'unreachable'],
      [404, 'refused_request'],
    ] as const) {
      server.refuse(status)
      await expect(models.embed(requestTo(provider))).rejects.toMatchObject({
        name: 'ModelFailure',
        reason,
      })
    }
  })

  it('end with the reason of the caller’s abort', async () => {
    const server = await startEmbeddingServer()
    server.delay(200)
    const signal = AbortSignal.timeout(20)
    await expect(modelsOf(server).embed(requestTo(provider, { signal }))).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })
})

describe('embeddings in the OpenAI format', () => {
  it('send model, texts and key, and report the provider’s token count', async () => {
    const server = await startEmbeddingServer()
    const { promptTokens } = await modelsOf(server).embed(requestTo('openai'))
    expect(promptTokens).toBe(4)
    const { path, headers, body } = await server.request(0)
    expect(path).toBe('/v1/embeddings')
    expect(headers.authorization).toBe('Bearer sk-secret')
    expect(body).toMatchObject({ model: 'points', input: ['grey heron', 'the pond'] })
  })

  it('may be numbers, may be out of order, and may leave usage out', async () => {
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ]
    const models = modelsOf(await startServer(answering({ data })))
    expect(await models.embed(requestTo('openai'))).toEqual({
      vectors: [Float32Array.of(1, 0), Float32Array.of(0, 1)],
      promptTokens: null,
    })
  })

  it.each([
    ['is not JSON', 'Bad gateway'],
    ['contains no embeddings', { data: [{ index: 0 }, { index: 1 }] }],
    ['contains too few', { data: [{ index: 0, embedding: [1] }] }],
    ['contains two lengths', { data: [{ embedding: [1] }, { embedding: [1, 2] }] }],
    ['contains an empty one', { data: [{ embedding: [] }, { embedding: [] }] }],
    ['contains half a number', { data: [{ embedding: 'AAA=' }, { embedding: 'AAA=' }] }],
    [
      'contains a value that is no number',
      { data: [{ embedding: 'AADAfw==' }, { embedding: 'AADAfw==' }] },
    ],
  ])('are refused when the answer %s', async (_, body) => {
    const models = modelsOf(await startServer(answering(body)))
    await expect(models.embed(requestTo('openai'))).rejects.toMatchObject({ reason: 'bad_answer' })
  })

  it('arrive at the third attempt from a server that is just starting', async () => {
    const embedded = { data: [{ embedding: [1] }, { embedding: [2] }] }
    const server = await startServer((response, request, n) =>
      answering(embedded, n < 2 ? 503 : 200)(response, request, n),
    )
    expect((await modelsOf(server).embed(requestTo('openai'))).vectors.length).toBe(2)
  })

  it('are refused for providers without embedding models', async () => {
    const models = modelsOf(await startEmbeddingServer())
    for (const provider of ['local', 'anthropic'])
      await expect(models.embed(requestTo(provider))).rejects.toMatchObject({
        reason: 'refused_request',
      })
  })
})
