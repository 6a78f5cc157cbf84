import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { getCredits, setCreditCap, setPrice } from '#features/credits/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { getSource } from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import {
  startEmbeddingServer,
  type EmbeddingServer,
} from '#test/support/servers/embedding-server.ts'
import type { TestInstance, Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { describeVectors } from '#test/support/knowledge/describe-vectors.ts'

describeVectors('the credits of embeddings', (open) => {
  let instance: TestInstance
  let ada: Person
  let provider: EmbeddingServer
  let appId: string

  beforeAll(async () => {
    provider = await startEmbeddingServer({ synonyms: { physician: 'doctor' } })
    instance = await open({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-operator',
      EMBEDDING_MODEL: 'openai/points',
    })
    ada = await instance.person()
    await setPrice(instance.ctx, ada.userId, {
      pattern: 'openai/points',
      price: { promptMicrosPerMillion: 1_000_000, completionMicrosPerMillion: 0, callMicros: 0 },
    })
    const { id } = await createAgent(instance.ctx, ada, { name: 'Helper' })
    appId = id
  })
  afterAll(() => provider.stop())

  const cap = (amountMicros: number) =>
    setCreditCap(instance.ctx, ada, {
      subject: 'workspace',
      subjectId: '',
      period: 'month',
      amountMicros,
    })
  const used = async () => (await getCredits(instance.ctx, ada.workspaceId)).usedThisMonthMicros
  const add = async (text: string) => {
    const source = await addTextSource(instance.ctx, ada.workspaceId, { appId, title: 'T', text })
    await runIngestion(instance, { later: false })
    return await getSource(instance.ctx, ada.workspaceId, source.id)
  }
  const search = (query: string) =>
    searchKnowledge(instance.ctx, ada.workspaceId, { appId, query, topK: 5 })

  test('are booked, and no reservation remains', async () => {
    await cap(10_000)
    expect(await add('The doctor is in on Mondays.')).toMatchObject({ status: 'ready' })
    expect(await used()).toBeGreaterThan(0)
    expect(await search('physician')).toMatchObject({ mode: 'hybrid' })
    const held = await instance.ctx.db.read.selectFrom('credit_reservations').selectAll().execute()
    expect(held).toEqual([])
    const [window] = await instance.ctx.db.read.selectFrom('credit_windows').selectAll().execute()
    expect(window?.used_micros).toBe(await used())
  })

  test('are never overdrawn: without credits, full text alone is searched', async () => {
    const before = await used()
    await cap(before + 3)
    const late = await add('Soup is served at noon, and bread at one.')
    expect(late).toMatchObject({ status: 'partial' })
    const found = await search('soup at noon')
    expect(found).toMatchObject({ mode: 'fulltext', without: 'embedding_failed' })
    expect(found.items[0]?.text).toContain('Soup')
    expect(await used()).toBe(before)
  })
})
