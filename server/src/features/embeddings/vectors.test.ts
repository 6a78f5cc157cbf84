import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent, updateAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { deleteSource, getSource } from '#features/knowledge/index.ts'
import { retrievePassages, searchKnowledge } from '#features/retrieval/index.ts'
import {
  startEmbeddingServer,
  type EmbeddingServer,
} from '#test/support/servers/embedding-server.ts'
import type { TestInstance, Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { describeVectors } from '#test/support/knowledge/describe-vectors.ts'
import { embedKnowledge } from './index.ts'
import { sweepEmbeddings } from './sweep-embeddings.ts'

const synonyms = { physician: 'doctor', automobile: 'car', vehicle: 'car' }

describeVectors('searching by meaning', (open) => {
  let instance: TestInstance
  let ada: Person
  let provider: EmbeddingServer

  beforeAll(async () => {
    provider = await startEmbeddingServer({ synonyms })
    instance = await open({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-operator',
      EMBEDDING_MODEL: 'openai/points',
      EMBEDDING_QUERY_TIMEOUT_MS: '300',
    })
    ada = await instance.person()
  })
  afterAll(() => provider.stop())

  async function newAgent(texts: Readonly<Record<string, string>>) {
    const { id, settings } = await createAgent(instance.ctx, ada, { name: 'Helper' })
    for (const [title, text] of Object.entries(texts)) await add(id, title, text)
    await runIngestion(instance, { later: false })
    return { id, workspaceId: ada.workspaceId, retrieval: settings.retrieval }
  }

  function add(appId: string, title: string, text: string) {
    return addTextSource(instance.ctx, ada.workspaceId, { appId, title, text })
  }

  function search(appId: string, query: string, topK = 10) {
    return searchKnowledge(instance.ctx, ada.workspaceId, { appId, query, topK })
  }

  function setMode(appId: string, mode: 'fulltext' | 'vector') {
    return updateAgent(instance.ctx, ada, appId, { retrieval: { mode } })
  }

  const clinic = {
    Doctor: 'The doctor is in on Mondays.',
    Car: 'Parking a car costs two euros.',
    Soup: 'Soup is served at noon.',
  }

  test('a text is found by its words at once, and by its meaning once it is embedded', async () => {
    const { id } = await newAgent({})
    const source = await add(id, 'Doctor', clinic.Doctor)
    expect(source).toMatchObject({ status: 'processing', stage: 'embedding' })
    const before = await search(id, 'doctor')
    expect(before).toMatchObject({ mode: 'fulltext', without: 'not_embedded' })
    expect(before.items.map(({ title }) => title)).toEqual(['Doctor'])
    await runIngestion(instance, { later: false })
    const embedded = await getSource(instance.ctx, ada.workspaceId, source.id)
    expect(embedded).toMatchObject({ status: 'ready', stage: null, progress: 100, error: null })
    const after = await search(id, 'physician')
    expect(after).toMatchObject({ mode: 'hybrid', without: null })
    expect(after.items[0]).toMatchObject({ title: 'Doctor', why: { fulltext: null } })
  })

  test('a hybrid search reads the postings of the question once', async () => {
    const { ctx } = instance
    const { id: appId } = await newAgent(clinic)
    let reads = 0
    const read = ctx.db.read.withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('knowledge_entries')) reads += 1
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    })
    const counted = { ...ctx, db: { ...ctx.db, read } }
    const wanted = { appId, query: 'Where is the doctor?', topK: 3 }
    const { mode, items } = await searchKnowledge(counted, ada.workspaceId, wanted)
    expect({ mode, first: items[0]?.title }).toEqual({ mode: 'hybrid', first: 'Doctor' })
    expect(reads).toBe(1)
  })

  test('a run of the embedding job ends while new texts are added, and asks for another', async () => {
    const { ctx } = instance
    const { id: agentId, workspaceId } = await createAgent(ctx, ada, { name: 'Busy' })
    let added = 0
    const addOne = async () => {
      added += 1
      if (added > 50) throw new Error('the run does not end')
      await add(agentId, 'Doctor', `The doctor sees patient ${added}.`)
    }
    await addOne()
    const write: typeof ctx.db.write = async (unit) => {
      await addOne()
      return await ctx.db.write(unit)
    }
    const run = { id: 'test', attempt: 1, isLast: false, signal: new AbortController().signal }
    const busy = { ...ctx, db: { ...ctx.db, write } }
    const again = await embedKnowledge.run(busy, { agentId, workspaceId }, run)
    expect(again).toMatchObject({ runAgainAt: expect.any(Number) })
    expect(await embedKnowledge.run(ctx, { agentId, workspaceId }, run)).toBeUndefined()
  })

  test('a result shows the rank and score of each source in both lists', async () => {
    const { id } = await newAgent(clinic)
    await updateAgent(instance.ctx, ada, id, { retrieval: { vector_weight: 0.5 } })
    const { items } = await search(id, 'Which doctor parks a vehicle?')
    const doctor = items.find(({ title }) => title === 'Doctor')!
    const car = items.find(({ title }) => title === 'Car')!
    expect(doctor.terms).toEqual(['doctor'])
    expect(car.why.vector!.similarity).toBeGreaterThan(0)
    for (const { score, why } of items) {
      const part = (place: { rank: number } | null) => (place === null ? 0 : 1 / (60 + place.rank))
      expect(score).toBeCloseTo(part(why.fulltext) + 0.5 * part(why.vector), 9)
    }
    expect(items.map(({ score }) => score)).toEqual(
      items.map(({ score }) => score).toSorted((a, b) => b - a),
    )
  })

  test('an agent can search by words, by meaning or by both', async () => {
    const agent = await newAgent(clinic)
    await setMode(agent.id, 'fulltext')
    expect(await search(agent.id, 'physician')).toMatchObject({ mode: 'fulltext', items: [] })
    await setMode(agent.id, 'vector')
    const { mode, items } = await search(agent.id, 'physician')
    expect(mode).toBe('vector')
    expect(items[0]!.title).toBe('Doctor')
    expect(items[0]!.score).toBe(items[0]!.why.vector!.similarity)
    expect(items.every(({ why }) => why.fulltext === null)).toBe(true)
  })

  test('min_score is the least score of a passage in each list', async () => {
    const agent = await newAgent(clinic)
    const retrieve = async (min_score: number) => {
      const strict = { ...agent, retrieval: { ...agent.retrieval, min_score } }
      return (await retrievePassages(instance.ctx, strict, 'physician on mondays')).passages
    }
    expect(await retrieve(0)).toHaveLength(3)
    expect((await retrieve(0.3)).map(({ title }) => title)).toEqual(['Doctor'])
    // No similarity is above 1, so a bound that is meant for BM25 leaves out all vectors.
    expect((await retrieve(1.01)).length).toBeLessThanOrEqual(1)
  })

  test('a chat searches by meaning, and its embedding is booked to the turn', async () => {
    const agent = await newAgent(clinic)
    const turn = { sessionId: 's', messageId: 'm-1', keyId: null, endUser: 'eve' }
    const [best] = (await retrievePassages(instance.ctx, agent, 'physician', { turn })).passages
    expect(best!.title).toBe('Doctor')
    const booked = await instance.ctx.db.read
      .selectFrom('credit_entries')
      .selectAll()
      .where('agent_id', '=', agent.id)
      .orderBy('id')
      .execute()
    expect(booked.map(({ kind, model }) => [kind, model])).toEqual([
      ['embedding', 'openai/points'],
      ['embedding', 'openai/points'],
    ])
    expect(booked[0]).toMatchObject({ message_id: null, prompt_tokens: 20 })
    expect(booked[1]).toMatchObject({ message_id: 'm-1', end_user: 'eve', prompt_tokens: 1 })
  })

  test('an answer uses full text alone while the provider is down or slow', async () => {
    const agent = await newAgent(clinic)
    provider.refuse(500)
    const down = await search(agent.id, 'doctor')
    expect(down).toMatchObject({ mode: 'fulltext', without: 'embedding_failed' })
    expect(down.items.map(({ title }) => title)).toEqual(['Doctor'])
    expect((await retrievePassages(instance.ctx, agent, 'doctor')).passages).toHaveLength(1)
    provider.refuse(null)
    provider.delay(1000)
    const startedAt = performance.now()
    const slow = await search(agent.id, 'doctor')
    expect(slow).toMatchObject({ mode: 'fulltext', without: 'embedding_failed' })
    expect(performance.now() - startedAt).toBeLessThan(900)
    provider.delay(0)
    expect(await search(agent.id, 'doctor')).toMatchObject({ mode: 'hybrid', without: null })
  })

  test('a caller who disconnects ends the embedding of the question', async () => {
    const agent = await newAgent(clinic)
    provider.delay(200)
    const signal = AbortSignal.timeout(20)
    await expect(retrievePassages(instance.ctx, agent, 'doctor', { signal })).rejects.toMatchObject(
      {
        name: 'TimeoutError',
      },
    )
    provider.delay(0)
  })

  test('a source whose embedding is refused is found by its words and shows the error', async () => {
    provider.refuse(401)
    const { id } = await newAgent({ Doctor: clinic.Doctor })
    const [source] = (await search(id, 'doctor')).items
    const failed = await getSource(instance.ctx, ada.workspaceId, source!.sourceId)
    expect(failed).toMatchObject({
      status: 'partial',
      stage: null,
      error: { code: 'embedding_failed', facts: { reason: 'rejected', model: 'openai/points' } },
    })
    provider.refuse(null)
    await sweepEmbeddings.run(instance.ctx, {}, neverAborted)
    await runIngestion(instance, { later: false })
    const mended = await getSource(instance.ctx, ada.workspaceId, source!.sourceId)
    expect(mended).toMatchObject({ status: 'ready', error: null })
  })

  test('a provider that is down is retried until it is back', async () => {
    provider.refuse(503)
    const { id } = await newAgent({ Doctor: clinic.Doctor })
    const [{ sourceId } = { sourceId: '' }] = (await search(id, 'doctor')).items
    expect(await getSource(instance.ctx, ada.workspaceId, sourceId)).toMatchObject({
      status: 'processing',
      stage: 'embedding',
    })
    provider.refuse(null)
    await runIngestion(instance)
    expect(await getSource(instance.ctx, ada.workspaceId, sourceId)).toMatchObject({
      status: 'ready',
    })
  })

  test('a deleted source is not found by its meaning and leaves no vector', async () => {
    const { id } = await newAgent(clinic)
    const [best] = (await search(id, 'physician')).items
    await deleteSource(instance.ctx, ada.workspaceId, best!.sourceId)
    const { items } = await search(id, 'physician')
    expect(items.map(({ title }) => title).toSorted()).toEqual(['Car', 'Soup'])
    const left = await instance.ctx.db.read
      .selectFrom('knowledge_vectors as vector')
      .innerJoin('knowledge_vector_spaces as space', 'space.id', 'vector.space_id')
      .where('space.agent_id', '=', id)
      .select('vector.chunk_id')
      .execute()
    expect(left).toHaveLength(2)
  })

  test('an agent never finds the knowledge of another agent by meaning', async () => {
    const mine = await newAgent({ Soup: clinic.Soup })
    await newAgent({ Doctor: clinic.Doctor })
    const { items } = await search(mine.id, 'physician')
    expect(items.map(({ title }) => title)).toEqual(['Soup'])
  })
})

const neverAborted = {
  id: 'sweep',
  attempt: 1,
  isLast: false,
  signal: new AbortController().signal,
}
