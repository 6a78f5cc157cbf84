import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'
import { listModels, setProvider } from './index.ts'

const page = { limit: 100 }

const openAiModels = ['gpt-5', 'gpt-4o', 'text-embedding-3-small', 'whisper-1', 'dall-e-3']

/** What each provider's list endpoint answers, as its documentation gives it. */
const answers: Readonly<Record<string, unknown>> = {
  '/v1/models': { object: 'list', data: openAiModels.map((id) => ({ id, object: 'model' })) },
  '/v1/models?limit=1000': { data: [{ id: 'claude-sonnet-4-5', type: 'model' }], has_more: false },
  '/v1beta/models?pageSize=1000': {
    models: [
      { name: 'models/gemini-2.5-pro', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/aqa', supportedGenerationMethods: ['generateAnswer'] },
    ],
  },
}

describeInstance('listing models', (open) => {
  let server: ModelServer
  let instance: TestInstance

  beforeAll(async () => {
    server = await startServer((response, { path }) => {
      const answer = answers[path]
      if (path.startsWith('/stall')) return
      if (path.startsWith('/garbage')) response.end('<html>')
      else if (path.startsWith('/odd')) response.end('{"data":"none"}')
      else if (path.startsWith('/locked')) response.writeHead(401).end('{"error":"sk-operator"}')
      else if (answer === undefined) response.writeHead(404).end('{}')
      else response.end(JSON.stringify(answer))
    })
    instance = await open({
      OPENAI_API_KEY: 'sk-operator',
      OPENAI_BASE_URL: server.baseUrl,
      ANTHROPIC_API_KEY: 'sk-ant',
      ANTHROPIC_BASE_URL: server.origin,
      GOOGLE_API_KEY: 'g-key',
      GOOGLE_BASE_URL: server.origin,
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    })
  })

  afterAll(() => server.stop())

  test('holds the conversation models of each configured provider, with their abilities', async () => {
    const ada = await instance.person()
    const { items, problems } = await listModels(instance.ctx, ada.workspaceId, page)
    expect(items.map(({ id }) => id)).toEqual([
      'anthropic/claude-sonnet-4-5',
      'google/gemini-2.5-pro',
      'local/extractive',
      'openai/gpt-4o',
      'openai/gpt-5',
    ])
    expect(problems).toEqual([])
    expect(items.find(({ id }) => id === 'local/extractive')).toEqual({
      id: 'local/extractive',
      provider: 'local',
      name: 'extractive',
      default: true,
      vision: false,
      audio: false,
      tools: false,
    })
    expect(items.find(({ id }) => id === 'openai/gpt-4o')).toMatchObject({
      default: false,
      vision: true,
      tools: true,
    })
  })

  test('each provider receives its key in its own header', async () => {
    const ada = await instance.person()
    await listModels(instance.ctx, ada.workspaceId, page)
    const headersOf = (path: string) => server.requests.findLast((r) => r.path === path)?.headers
    expect(headersOf('/v1/models')).toMatchObject({ authorization: 'Bearer sk-operator' })
    expect(headersOf('/v1/models?limit=1000')).toMatchObject({ 'x-api-key': 'sk-ant' })
    expect(headersOf('/v1beta/models?pageSize=1000')).toMatchObject({ 'x-goog-api-key': 'g-key' })
  })

  test('can be limited to one provider, and is read page by page', async () => {
    const ada = await instance.person()
    const { workspaceId } = ada
    const first = await listModels(instance.ctx, workspaceId, { limit: 1, provider: 'openai' })
    expect(first.items.map(({ id }) => id)).toEqual(['openai/gpt-4o'])
    const rest = { limit: 1, provider: 'openai', cursor: first.nextCursor ?? '' }
    const second = await listModels(instance.ctx, workspaceId, rest)
    expect(second.items.map(({ id }) => id)).toEqual(['openai/gpt-5'])
    expect(second.nextCursor).toBeNull()
  })

  describe('a provider that does not list its models', () => {
    async function problemsWith(provider: string, path: string) {
      const ada = await instance.person()
      const baseUrl = `${server.origin}/${path}`
      const set = { provider, baseUrl, apiKey: 'sk-own' }
      await setProvider(instance.ctx, ada.workspaceId, set)
      return listModels(instance.ctx, ada.workspaceId, page)
    }

    test.each([
      ['garbage', 'path'],
      ['odd', 'path'],
      ['locked', 'key'],
      ['nowhere', 'path'],
    ])('is reported with the cause, and the others are listed (%s)', async (path, cause) => {
      const { items, problems } = await problemsWith('mine', path)
      expect(problems).toEqual([{ provider: 'mine', cause }])
      expect(items.map(({ id }) => id)).toContain('openai/gpt-5')
    })

    test('on a port that typed addresses may not use is not called', async () => {
      const strict = await open()
      const ada = await strict.person()
      const set = { provider: 'mine', baseUrl: `${server.origin}/v1` }
      await setProvider(strict.ctx, ada.workspaceId, set)
      const { problems } = await listModels(strict.ctx, ada.workspaceId, page)
      expect(problems).toEqual([{ provider: 'mine', cause: 'port' }])
    })

    test('is reported when it does not answer in time', async () => {
      const hurried = await open({
        OLLAMA_BASE_URL: `${server.origin}/stall`,
        MODEL_FIRST_BYTE_TIMEOUT_MS: '100',
      })
      const ada = await hurried.person()
      const { problems } = await listModels(hurried.ctx, ada.workspaceId, page)
      expect(problems).toEqual([{ provider: 'ollama', cause: 'timeout' }])
    })

    test('leaves the default model listed', async () => {
      const down = await open({
        DEFAULT_MODEL: 'ollama/llama3',
        OLLAMA_BASE_URL: `${server.origin}/garbage`,
      })
      const ada = await down.person()
      const { items } = await listModels(down.ctx, ada.workspaceId, page)
      expect(items.map(({ id, default: isDefault }) => [id, isDefault])).toEqual([
        ['local/extractive', false],
        ['ollama/llama3', true],
      ])
    })
  })
})
