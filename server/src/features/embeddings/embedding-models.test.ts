import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addTextSource, addUrlSource, refreshSource } from '#features/ingestion/index.ts'
import { listSources } from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import {
  startEmbeddingServer,
  type EmbeddingServer,
} from '#test/support/servers/embedding-server.ts'
import type { TestInstance, Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { startSite } from '#test/support/servers/site-server.ts'
import { describeVectors } from '#test/support/knowledge/describe-vectors.ts'
import { sweepEmbeddings } from './sweep-embeddings.ts'

const synonyms = { physician: 'doctor' }
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, n) => `# Part ${n}\n\nThe doctor sees patient ${n}.`).join(
    '\n\n',
  )

describeVectors('embedding the knowledge of an agent', (open) => {
  let instance: TestInstance
  let ada: Person
  let provider: EmbeddingServer

  beforeAll(async () => {
    provider = await startEmbeddingServer({ synonyms, dimensions: { old: 32, new: 48 } })
    instance = await open({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-operator',
      EMBEDDING_MODEL: 'openai/old',
    })
    ada = await instance.person()
  })
  afterAll(() => provider.stop())

  /** The same instance after its operator has configured another model. */
  function withModel(model: string): TestInstance {
    const config = { ...instance.ctx.config, embeddingModel: model }
    return { ...instance, ctx: { ...instance.ctx, config } }
  }

  async function newAgent() {
    return await createAgent(instance.ctx, ada, { name: 'Helper' })
  }

  function add(appId: string, title: string, text: string) {
    return addTextSource(instance.ctx, ada.workspaceId, { appId, title, text })
  }

  async function sweep(of: TestInstance) {
    const signal = new AbortController().signal
    await sweepEmbeddings.run(of.ctx, {}, { id: 'sweep', attempt: 1, isLast: false, signal })
  }

  function search(of: TestInstance, appId: string, query = 'physician') {
    return searchKnowledge(of.ctx, ada.workspaceId, { appId, query, topK: 10 })
  }

  function spaces(agentId: string) {
    return instance.ctx.db.read
      .selectFrom('knowledge_vector_spaces as space')
      .leftJoin('knowledge_vectors as vector', 'vector.space_id', 'space.id')
      .where('space.agent_id', '=', agentId)
      .select(['space.model', 'space.status', 'space.dimensions'])
      .select((e) => e.fn.count<number>('vector.chunk_id').as('vectors'))
      .groupBy(['space.id', 'space.model', 'space.status', 'space.dimensions'])
      .orderBy('space.id')
      .execute()
  }

  test('the old model serves searches until the new one has every vector', async () => {
    const { id } = await newAgent()
    await add(id, 'Clinic', paragraphs(150))
    await runIngestion(instance, { later: false })
    const changed = withModel('openai/new')
    await sweep(changed)
    provider.hold('new', true)
    const reindexing = runIngestion(changed, { later: false })
    await expect.poll(() => provider.requests.at(-1)?.body.model).toBe('new')
    const [meanwhile] = (await search(changed, id)).items
    expect(meanwhile!.why.vector!.rank).toBe(1)
    expect(await spaces(id)).toMatchObject([
      { model: 'openai/old', status: 'serving', vectors: 150 },
    ])
    const [source] = (await listSources(instance.ctx, ada.workspaceId, id, { limit: 1 })).items
    expect(source).toMatchObject({ status: 'ready' })
    provider.hold('new', false)
    await reindexing
    expect(await spaces(id)).toEqual([
      { model: 'openai/new', status: 'serving', dimensions: 48, vectors: 150 },
    ])
    const [after] = (await search(changed, id)).items
    expect(after!.why.vector!.similarity).toBeGreaterThan(0.1)
    expect(provider.texts.at(-1)).toEqual({ model: 'new', text: 'physician' })
  })

  test.each([3, 5, 8])(
    'a process that dies at its unit %i leaves no vector twice and none missing',
    async (diesAtUnit) => {
      const { id } = await newAgent()
      await add(id, 'Clinic', paragraphs(150))
      await add(id, 'More', paragraphs(20))
      await runIngestion(instance, { later: false, diesAtUnit })
      const before = provider.texts.length
      await runIngestion(instance)
      expect(await spaces(id)).toMatchObject([{ status: 'serving', vectors: 170 }])
      const { items } = await listSources(instance.ctx, ada.workspaceId, id, { limit: 10 })
      expect(items.map(({ status, stage }) => [status, stage])).toEqual([
        ['ready', null],
        ['ready', null],
      ])
      // Vectors that were stored before the end are not requested again.
      expect(provider.texts.length - before).toBeLessThanOrEqual(diesAtUnit < 5 ? 170 : 106)
      const booked = await instance.ctx.db.read
        .selectFrom('credit_entries')
        .select((e) => e.fn.sum<number>('prompt_tokens').as('tokens'))
        .where('agent_id', '=', id)
        .executeTakeFirstOrThrow()
      // 'Clinic' or 'More', 'Part n', 'The doctor sees patient n': eight words a chunk.
      expect(Number(booked.tokens)).toBe(170 * 8)
    },
  )

  test('only new chunks of a changed page are embedded', async () => {
    const page = (last: string) =>
      `<title>Clinic</title><main><h1>One</h1><p>The doctor is in.</p><h1>Two</h1><p>${last}</p></main>`
    const site = await startSite({ '/': page('Soup at noon.') })
    const local = await open({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-operator',
      EMBEDDING_MODEL: 'openai/old',
      OUTBOUND_ALLOW_PRIVATE: site.host,
    })
    const bob = await local.person()
    const { id: appId } = await createAgent(local.ctx, bob, { name: 'Reader' })
    const crawl = { depth: 0, maxPages: 1, include: [], exclude: [], title: null }
    const given = { appId, kind: 'url' as const, url: `${site.origin}/`, crawl, refreshEvery: null }
    const { id } = await addUrlSource(local.ctx, bob.workspaceId, given)
    await runIngestion(local)
    const first = provider.texts.length
    site.pages['/'] = page('Bread at ten.')
    await refreshSource(local.ctx, bob.workspaceId, id)
    await runIngestion(local)
    expect(provider.texts.slice(first).map(({ text }) => text)).toEqual([
      'Clinic\nTwo\nBread at ten.',
    ])
    await refreshSource(local.ctx, bob.workspaceId, id)
    await runIngestion(local)
    expect(provider.texts.length).toBe(first + 1)
    await site.stop()
  })

  test('the index of vectors is restored from stored codes without calling the provider', async () => {
    const { id } = await newAgent()
    await add(id, 'Clinic', paragraphs(3))
    await runIngestion(instance, { later: false })
    if (instance.ctx.db.engine === 'postgres')
      await instance.ctx.db.write((tx) => tx.deleteFrom('knowledge_vector_index').execute())
    const before = provider.texts.length
    await sweep(instance)
    const { items } = await search(instance, id)
    expect(items[0]!.why.vector).toMatchObject({ rank: 1 })
    expect(provider.texts.slice(before).map(({ text }) => text)).toEqual(['physician'])
  })

  test('texts that are too long for a model are cut until it accepts them', async () => {
    const strict = await startEmbeddingServer({ longest: 30 })
    const local = await open({
      OPENAI_BASE_URL: strict.baseUrl,
      OPENAI_API_KEY: 'sk-operator',
      EMBEDDING_MODEL: 'openai/short',
    })
    const bob = await local.person()
    const { id: appId } = await createAgent(local.ctx, bob, { name: 'Reader' })
    const long = Array.from({ length: 120 }, (_, n) => `longword${n}`).join(' ')
    for (const text of ['Short one.', long, 'Short two.'])
      await addTextSource(local.ctx, bob.workspaceId, { appId, title: 'Text', text })
    await runIngestion(local, { later: false })
    const { items } = await listSources(local.ctx, bob.workspaceId, appId, { limit: 10 })
    expect(items.map(({ status }) => status)).toEqual(['ready', 'ready', 'ready'])
    await strict.stop()
  })
})
