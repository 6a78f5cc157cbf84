import { afterEach, describe, expect, it } from 'vitest'
import {
  createTestModels,
  modelRequest,
  type TestModelsOptions,
} from '#test/support/servers/model-requests.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import type { ProviderAccess } from '#platform/models/model.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function setUp(options: Partial<TestModelsOptions> = {}) {
  const server = await startModelServer()
  const test = createTestModels({ origin: server.origin, ...options })
  cleanups.push(() => server.stop(), test.close)
  return { server, ...test }
}

const access = (changes: Partial<ProviderAccess>): { access: ProviderAccess } => ({
  access: { provider: 'openai', apiKey: 'k', baseUrl: null, trusted: true, ...changes },
})

describe('A provider is reached', () => {
  it.each([
    ['openai', '/v1/chat/completions'],
    ['ollama', '/v1/chat/completions'],
    ['anthropic', '/v1/messages'],
    ['google', '/v1beta/models/mock:generateContent'],
  ])('%s at its own path', async (provider, path) => {
    const { models, server } = await setUp()
    const { text } = await models.complete(modelRequest(access({ provider })))
    expect(text).toBe('Hello from the model.')
    expect(server.requests[0]?.path).toBe(path)
  })

  it('local in this process, without any request', async () => {
    const { models, server } = await setUp()
    await models.complete(modelRequest(access({ provider: 'local', apiKey: null })))
    expect(server.connections()).toBe(0)
  })

  it('of any other name at its configured address', async () => {
    const { models, server } = await setUp()
    const baseUrl = `${server.origin}/custom/v1/`
    await models.complete(modelRequest(access({ provider: 'my-vllm', baseUrl })))
    expect(server.requests[0]?.path).toBe('/custom/v1/chat/completions')
  })

  it('without a key and without an authorization header', async () => {
    const { models, server } = await setUp()
    await models.complete(modelRequest(access({ provider: 'ollama', apiKey: null })))
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it('never without an address', async () => {
    const { models } = await setUp()
    await expect(
      models.complete(modelRequest(access({ provider: 'my-vllm' }))),
    ).rejects.toMatchObject({ reason: 'refused_request' })
  })
})

describe('An address that a person typed', () => {
  it.each(['openai', 'my-vllm', 'ollama', 'anthropic', 'google'])(
    'is not dialled for %s when it is private',
    async (provider) => {
      const { models, server } = await setUp()
      const request = modelRequest(access({ provider, baseUrl: server.baseUrl, trusted: false }))
      await expect(models.complete(request)).rejects.toMatchObject({ reason: 'unreachable' })
      await expect(Array.fromAsync(models.stream(request))).rejects.toMatchObject({
        reason: 'unreachable',
      })
      expect(server.connections()).toBe(0)
    },
  )

  it.each(['openai', 'anthropic', 'google'])(
    'is dialled for %s when the operator listed it',
    async (provider) => {
      const { models, server } = await setUp({ allowPrivate: ['127.0.0.1'] })
      const baseUrl = provider === 'google' ? `${server.origin}/v1beta` : server.baseUrl
      const request = modelRequest(access({ provider, baseUrl, trusted: false }))
      expect((await models.complete(request)).text).toBe('Hello from the model.')
    },
  )
})
