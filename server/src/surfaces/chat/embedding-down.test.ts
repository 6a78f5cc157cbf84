import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { createAgentKey } from '#features/api-keys/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { chatSurface } from '#surfaces/chat/index.ts'
import { answerOf } from '#test/support/chat/chat-service.ts'
import {
  startEmbeddingServer,
  type EmbeddingServer,
} from '#test/support/servers/embedding-server.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { describeVectors } from '#test/support/knowledge/describe-vectors.ts'

describeVectors('a chat whose knowledge has vectors', (open) => {
  let provider: EmbeddingServer
  let ask: (question: string) => Promise<Response>

  beforeAll(async () => {
    provider = await startEmbeddingServer({ synonyms: { physician: 'doctor' } })
    const instance = await open({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-operator',
      EMBEDDING_MODEL: 'openai/points',
      EMBEDDING_QUERY_TIMEOUT_MS: '300',
    })
    const ada = await instance.person()
    const agent = await createAgent(instance.ctx, ada, {
      name: 'Clinic',
      model: 'local/extractive',
    })
    const { key } = await createAgentKey(instance.ctx, ada, {
      kind: 'chat',
      appId: agent.id,
      name: 'test',
    })
    const text = 'The doctor is in on Mondays.'
    await addTextSource(instance.ctx, ada.workspaceId, { appId: agent.id, title: 'Hours', text })
    await runIngestion(instance, { later: false })
    const app = new Hono().route('/api/v1', chatSurface(instance.ctx))
    ask = async (content) =>
      await app.request('/api/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: agent.appNameId,
          messages: [{ role: 'user', content }],
        }),
      })
  })
  afterAll(() => provider.stop())

  async function expectAnswer() {
    const response = await ask('When is the doctor in?')
    expect(response.status).toBe(200)
    const [{ message }] = (await answerOf(response)).choices
    expect(message.content).toContain('The doctor is in on Mondays.')
    expect(message.citations).toMatchObject([{ title: 'Hours' }])
  }

  test('requests the vector of the question from its provider', async () => {
    const before = provider.texts.length
    await expectAnswer()
    expect(provider.texts.slice(before)).toEqual([
      { model: 'points', text: 'When is the doctor in?' },
    ])
  })

  test.each([401, 429, 500])(
    'answers with full text if the provider returns %d',
    async (status) => {
      provider.refuse(status)
      await expectAnswer()
      provider.refuse(null)
    },
  )

  test('answers with full text if the provider is too slow', async () => {
    provider.delay(2000)
    const startedAt = performance.now()
    await expectAnswer()
    expect(performance.now() - startedAt).toBeLessThan(1500)
    provider.delay(0)
  })

  test('answers with full text if the provider is down', async () => {
    await provider.stop()
    await expectAnswer()
    provider = await startEmbeddingServer()
  })
})
