import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileModelName } from '#test/support/hostile-model-names.ts'
import {
  createTestModels,
  modelName,
  modelRequest,
  type TestModels,
} from '#test/support/servers/model-requests.ts'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'

/**
 * The check of model ids is in front of the adapters. These tests go around it: an adapter must not
 * reach another path even with a name that was never checked.
 */
let server: ModelServer
let models: TestModels

beforeAll(async () => {
  server = await startServer((response) => {
    response.writeHead(400).end('{}')
  })
  models = createTestModels({ origin: server.origin })
})

afterAll(async () => {
  await models.close()
  await server.stop()
})

const inBody = (path: string) => () => path
const inPath = (method: string) => (name: string) =>
  `/v1beta/models/${encodeURIComponent(name)}:${method}`

const adapters = [
  ['openai', inBody('/v1/chat/completions'), inBody('/v1/chat/completions')],
  ['ollama', inBody('/v1/chat/completions'), inBody('/v1/chat/completions')],
  ['my-vllm', inBody('/own/v1/chat/completions'), inBody('/own/v1/chat/completions')],
  ['anthropic', inBody('/v1/messages'), inBody('/v1/messages')],
  ['google', inPath('generateContent'), inPath('streamGenerateContent?alt=sse')],
] as const

const accessTo = (provider: string) => ({
  provider,
  apiKey: 'sk-operator',
  baseUrl: provider === 'my-vllm' ? `${server.origin}/own/v1` : null,
  trusted: true,
})

async function pathsOf(call: Promise<unknown>): Promise<string[]> {
  const before = server.requests.length
  await expect(call).rejects.toMatchObject({ name: 'ModelFailure' })
  return server.requests.slice(before).map(({ path }) => path)
}

/** A lone surrogate has no percent-encoding, and no request is sent. */
const sendable = hostileModelName.filter((name) => name.isWellFormed())

describe.each(adapters)(
  'a hostile model name, sent to %s, reaches no other path',
  (provider, whole, streamed) => {
    const access = () => accessTo(provider)

    test('as a whole answer or as a stream', async () => {
      await fc.assert(
        fc.asyncProperty(sendable, async (model) => {
          const request = modelRequest({ model, access: access() })
          expect(await pathsOf(models.models.complete(request))).toEqual([whole(model)])
          const stream = Array.fromAsync(models.models.stream(request))
          expect(await pathsOf(stream)).toEqual([streamed(model)])
        }),
        { numRuns: 100 },
      )
    })
  },
)

describe.each([
  ['openai', inBody('/v1/embeddings')],
  ['ollama', inBody('/v1/embeddings')],
  ['my-vllm', inBody('/own/v1/embeddings')],
  ['google', inPath('batchEmbedContents')],
] as const)('a hostile name of an embedding model, sent to %s', (provider, path) => {
  test('reaches no other path', async () => {
    await fc.assert(
      fc.asyncProperty(sendable, async (model) => {
        const request = {
          model: modelName(model),
          access: accessTo(provider),
          texts: ['grey heron', 'the pond'],
          purpose: 'query' as const,
          signal: new AbortController().signal,
        }
        expect(await pathsOf(models.models.embed(request))).toEqual([path(model)])
      }),
      { numRuns: 100 },
    )
  })
})
