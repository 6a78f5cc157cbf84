import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent, updateAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { deleteSource } from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { viewBlock } from '#kernel/vector-block.ts'
import { describeVectors } from '#test/support/knowledge/describe-vectors.ts'
import {
  embed,
  startEmbeddingServer,
  type EmbeddingServer,
} from '#test/support/servers/embedding-server.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import type { Person, TestInstance } from '#test/support/test-instance.ts'
import { cosineOfCodes } from '#test/support/knowledge/vector-shapes.ts'
import { sweepEmbeddings } from '../sweep-embeddings.ts'
import { leastIndexed, tendVectorIndexes } from './postgres-vector-indexes.ts'
import { codeOf } from './vector-code.ts'
import { vectorIndex } from './vector-index.ts'

const dimensions = 128

describeVectors('vectors in blocks', (open) => {
  let instance: TestInstance
  let ada: Person
  let provider: EmbeddingServer
  let agentId: string
  const isSqlite = () => instance.ctx.db.engine === 'sqlite'

  beforeAll(async () => {
    provider = await startEmbeddingServer({
      dimensions: { old: dimensions, new: dimensions },
      record: false,
    })
    instance = await open({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-operator',
      EMBEDDING_MODEL: 'openai/old',
    })
    ada = await instance.person()
    agentId = (await createAgent(instance.ctx, ada, { name: 'Helper' })).id
    await updateAgent(instance.ctx, ada, agentId, { retrieval: { mode: 'vector' } })
    for (const subject of ['doctor', 'garden', 'engine']) await add(subject)
    await runIngestion(instance, { later: false })
  })
  afterAll(() => provider.stop())

  const perSource = 750

  function add(subject: string) {
    const text = Array.from(
      { length: perSource },
      (_, n) => `# ${subject} ${n}\n\nThe ${subject} has part ${n} and part ${(n * 7) % 90}.`,
    ).join('\n\n')
    return addTextSource(instance.ctx, ada.workspaceId, { appId: agentId, title: subject, text })
  }

  async function sweep(of: TestInstance = instance) {
    const signal = new AbortController().signal
    await sweepEmbeddings.run(of.ctx, {}, { id: 'sweep', attempt: 1, isLast: false, signal })
  }

  async function rank(question: string, limit: number, chunkCount: number) {
    const space = await instance.ctx.db.read
      .selectFrom('knowledge_vector_spaces')
      .selectAll()
      .where('agent_id', '=', agentId)
      .where('status', '=', 'serving')
      .executeTakeFirstOrThrow()
    const code = codeOf(embed(question, space.model.slice('openai/'.length), dimensions))
    const query = { spaceId: space.id, agentId, code, minSimilarity: -1.001, limit, chunkCount }
    const found = await vectorIndex(instance.ctx.db).rank(instance.ctx.db.scan, query)
    return { found, similarities: await similarities(space.id, code) }
  }

  /** Of all vectors of the space, highest first. */
  async function similarities(spaceId: number, code: Uint8Array): Promise<number[]> {
    const rows = await instance.ctx.db.read
      .selectFrom('knowledge_vectors')
      .select('code')
      .where('space_id', '=', spaceId)
      .execute()
    return rows.map((row) => cosineOfCodes(row.code, code)).toSorted((one, other) => other - one)
  }

  function readBlocks() {
    return instance.ctx.db.read
      .selectFrom('knowledge_vector_blocks')
      .selectAll()
      .orderBy('id')
      .execute()
  }

  async function countUnpacked(): Promise<number> {
    const rows = await instance.ctx.db.read
      .selectFrom('knowledge_vectors')
      .select('chunk_id')
      .where('block_id', 'is', null)
      .execute()
    return rows.length
  }

  async function expectNearest(question: string, limit: number, chunkCount = 1) {
    const { found, similarities: exact } = await rank(question, limit, chunkCount)
    expect(found).toHaveLength(Math.min(limit, exact.length))
    const least = exact[found.length - 1]! - 1e-6
    const right = found.filter(({ similarity }) => similarity >= least)
    expect(right.length).toBeGreaterThanOrEqual(0.95 * found.length)
    expect(found[0]!.similarity).toBeCloseTo(exact[0]!, 5)
  }

  test('a full block is built while an agent is embedded, and the rest is compared exactly', async () => {
    const blocks = await readBlocks()
    expect(blocks.map(({ vector_count }) => vector_count)).toEqual(isSqlite() ? [1024, 1024] : [])
    expect(await countUnpacked()).toBe(3 * perSource - blocks.length * 1024)
    for (const question of ['garden 5 part', 'doctor 700', 'engine part 63', 'The'])
      await expectNearest(question, 20)
  })

  test('a search that wants every chunk finds every chunk', async () => {
    await expectNearest('garden 5 part', 3 * perSource)
  })

  test('vectors that an older version stored are found, and the sweep packs them', async () => {
    await instance.ctx.db.write(async (tx) => {
      await tx.updateTable('knowledge_vectors').set({ block_id: null }).execute()
      await tx.deleteFrom('knowledge_vector_blocks').execute()
    })
    await expectNearest('garden 5 part', 20)
    await sweep()
    expect(await readBlocks()).toHaveLength(isSqlite() ? 2 : 0)
    await expectNearest('garden 5 part', 20)
  })

  test('pgvector searches a large agent by an index of its dimensions', async () => {
    const { ctx } = instance
    if (isSqlite()) return
    await tendVectorIndexes(ctx, 1000)
    const scans = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(ctx.db.read)
      const { rows } = await sql<{ name: string; scans: number }>`
        select indexrelname as name, idx_scan as scans from pg_stat_user_indexes
        where indexrelname like 'knowledge_vector_index_hnsw%'`.execute(ctx.db.read)
      return rows
    }
    await sql`analyze knowledge_vector_index`.execute(ctx.db.read)
    expect(await scans()).toEqual([{ name: 'knowledge_vector_index_hnsw_128', scans: 0 }])
    await expectNearest('garden 5 part', 300, leastIndexed)
    expect(await scans()).toEqual([{ name: 'knowledge_vector_index_hnsw_128', scans: 1 }])
    await tendVectorIndexes(ctx, 5000)
    expect(await scans()).toEqual([])
    await expectNearest('garden 5 part', 300, leastIndexed)
  })

  test('only the numbers of dimensions with the most vectors get an index', async () => {
    const { ctx } = instance
    if (isSqlite()) return
    const names = async () => {
      const { rows } = await sql<{ name: string }>`
        select indexname as name from pg_indexes
        where indexname like 'knowledge_vector_index_hnsw%' order by indexname`.execute(ctx.db.read)
      return rows.map(({ name }) => name.replace('knowledge_vector_index_hnsw_', ''))
    }
    const addSpace = (model: string, size: number, vectors: number) =>
      sql`with space as (
        insert into knowledge_vector_spaces
          (agent_id, model, dimensions, status, created_at, updated_at)
        values (${agentId}, ${model}, ${size}, 'building', 0, 0) returning id
      )
      insert into knowledge_vectors (space_id, chunk_id, code)
      select space.id, chunk.id, ''::bytea
      from space, (select id from knowledge_chunks order by id limit ${vectors}) as chunk
      `.execute(ctx.db.read)
    await addSpace('own/small', 8, 1100)
    await addSpace('own/smaller', 16, 1050)
    await tendVectorIndexes(ctx, 1000, 3)
    expect(await names()).toEqual(['128', '16', '8'])
    await tendVectorIndexes(ctx, 1000, 2)
    expect(await names()).toEqual(['128', '8'])
    await tendVectorIndexes(ctx, 1000, 1)
    expect(await names()).toEqual(['128'])
    // 128 dimensions have 2,250 vectors: an index gives way only to twice as many.
    await addSpace('own/more', 8, 2200)
    await tendVectorIndexes(ctx, 1000, 1)
    expect(await names()).toEqual(['128'])
    await addSpace('own/most', 8, 2200)
    await tendVectorIndexes(ctx, 1000, 1)
    expect(await names()).toEqual(['8'])
    await sql`delete from knowledge_vectors where space_id in (
      select id from knowledge_vector_spaces where model like 'own/%')`.execute(ctx.db.read)
    await sql`delete from knowledge_vector_spaces where model like 'own/%'`.execute(ctx.db.read)
    await tendVectorIndexes(ctx, 5000)
    expect(await names()).toEqual([])
  })

  test('nothing of a deleted text is found, and the sweep removes it from its blocks', async () => {
    const { items } = await searchKnowledge(instance.ctx, ada.workspaceId, {
      appId: agentId,
      query: 'doctor',
      topK: 3,
    })
    const doctor = items.find(({ title }) => title === 'doctor')!
    await deleteSource(instance.ctx, ada.workspaceId, doctor.sourceId)
    await runIngestion(instance, { later: false })
    await expectNearest('doctor 700', 20)
    await sweep()
    const blocks = await readBlocks()
    expect(blocks).toHaveLength(isSqlite() ? 1 : 0)
    const chunks = await instance.ctx.db.read.selectFrom('knowledge_chunks').select('id').execute()
    const known = new Set(chunks.map(({ id }) => id))
    for (const { content } of blocks)
      for (const id of viewBlock(content, dimensions).ids) expect(known).toContain(id)
    await expectNearest('garden 700', 20)
  })

  test('another model gets blocks of its own, and those of the old one are deleted', async () => {
    const before = await readBlocks()
    const config = { ...instance.ctx.config, embeddingModel: 'openai/new' }
    const changed = { ...instance, ctx: { ...instance.ctx, config } }
    await sweep(changed)
    await runIngestion(changed, { later: false })
    const after = await readBlocks()
    expect(after).toHaveLength(before.length)
    const spaces = await instance.ctx.db.read
      .selectFrom('knowledge_vector_spaces')
      .select(['id', 'model'])
      .execute()
    expect(spaces.map(({ model }) => model)).toEqual(['openai/new'])
    for (const { space_id } of after) expect(space_id).toBe(spaces[0]!.id)
    await expectNearest('garden 700', 20)
  })
})
