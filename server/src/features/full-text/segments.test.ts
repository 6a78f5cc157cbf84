import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { deleteSource } from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { analyse } from '#features/text-analysis/index.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { indexDocuments } from './index-documents.ts'
import { mergeSegments } from './merge-segments.ts'
import { listWornSegments } from './merge-store.ts'
import { mergeCrowded } from './tend-index.ts'

const never = new AbortController().signal
const words = ['tea', 'coffee', 'milk', 'sugar', 'honey', 'lemon', 'water']

/** A text whose words depend on its number; the same on every run. */
function textOf(n: number): string {
  const length = 3 + ((n * 7) % 11)
  return Array.from({ length }, (_, at) => words[(n * n + at * (n + 3)) % words.length]).join(' ')
}

describeInstance('the segments of an agent', (open) => {
  async function agentThatKnows(count: number) {
    const instance = await open()
    const { ctx, person } = instance
    const { workspaceId, ...owner } = await person()
    const { id: appId } = await createAgent(ctx, { ...owner, workspaceId }, { name: 'Barista' })
    const add = (n: number) =>
      addTextSource(ctx, workspaceId, { appId, title: `Cup ${n}`, text: textOf(n) })
    const sources: string[] = []
    for (let n = 0; n < count; n += 1) sources.push((await add(n)).id)
    const search = async (query: string) => {
      const wanted = { appId, query, topK: 100 }
      const { items } = await searchKnowledge(ctx, workspaceId, wanted)
      return items.map(({ title, score }) => ({ title, score }))
    }
    const remove = (n: number) => deleteSource(ctx, workspaceId, sources[n] ?? '')
    return { ctx, appId, add, search, remove, instance }
  }

  const questions = ['tea', 'tea tea milk', 'honey lemon', 'sugar coffee water tea', 'cup 7']

  function liveSegments({ ctx }: Pick<TestInstance, 'ctx'>, agentId: string) {
    return ctx.db.read
      .selectFrom('knowledge_segments')
      .select(['id', 'chunk_count', 'document_id'])
      .where('agent_id', '=', agentId)
      .where('status', '=', 'live')
      .execute()
  }

  test('are merged without a change to any score, and nothing of the old ones stays', async () => {
    const { ctx, appId, search, remove } = await agentThatKnows(20)
    const before = await Promise.all(questions.map(search))
    expect(await liveSegments({ ctx }, appId)).toHaveLength(20)
    await mergeCrowded(ctx)
    expect(await Promise.all(questions.map(search))).toEqual(before)
    expect(await liveSegments({ ctx }, appId)).toMatchObject([
      { chunk_count: 20, document_id: null },
    ])
    const all = await ctx.db.read.selectFrom('knowledge_segments').select('id').execute()
    const entries = await ctx.db.read
      .selectFrom('knowledge_entries')
      .select('segment_id')
      .distinct()
      .execute()
    expect(entries.map(({ segment_id }) => segment_id)).toEqual(all.map(({ id }) => id))
    // Deleted documents leave no trace in the statistics, whether they are written again or not.
    for (const n of [3, 4, 11]) await remove(n)
    const alone = await agentThatKnows(0)
    for (let n = 0; n < 20; n += 1) if (![3, 4, 11].includes(n)) await alone.add(n)
    const expected = await Promise.all(questions.map(alone.search))
    expect(await Promise.all(questions.map(search))).toEqual(expected)
    const [worn] = await listWornSegments(ctx.db.read, { leastShare: 0 })
    await mergeSegments(ctx, appId, [worn?.id ?? 0], never)
    expect(await liveSegments({ ctx }, appId)).toMatchObject([{ chunk_count: 17 }])
    expect(await Promise.all(questions.map(search))).toEqual(expected)
  })

  test('lose a document that is deleted while they are merged', async () => {
    const { ctx, appId, search, remove } = await agentThatKnows(9)
    await mergeCrowded(ctx)
    const more = await liveSegments({ ctx }, appId)
    await remove(2)
    const rest = await search('tea sugar')
    const ids = more.map(({ id }) => id)
    let units = 0
    const write: typeof ctx.db.write = async (unit) => {
      units += 1
      if (units === 3) await remove(5)
      return await ctx.db.write(unit)
    }
    await mergeSegments({ db: { ...ctx.db, write } }, appId, ids, never)
    expect(units).toBeGreaterThan(3)
    const titles = (await search('tea sugar')).map(({ title }) => title)
    expect(titles).not.toContain('Cup 5')
    expect(titles.toSorted()).toEqual(
      rest
        .map(({ title }) => title)
        .filter((title) => title !== 'Cup 5')
        .toSorted(),
    )
    const runs = await ctx.db.read
      .selectFrom('knowledge_runs as run')
      .innerJoin('knowledge_segments as segment', 'segment.id', 'run.segment_id')
      .select(['run.is_removed'])
      .where('segment.status', '=', 'live')
      .execute()
    expect(runs.filter(({ is_removed }) => is_removed === 1)).toHaveLength(1)
  })

  test('keep their content when a merge is interrupted, and the next one deletes what it left', async () => {
    const { ctx, search } = await agentThatKnows(9)
    const before = await search('tea honey')
    for (const unit of [2, 3, 4, 5]) {
      let units = 0
      const write: typeof ctx.db.write = async (work) => {
        units += 1
        if (units > unit) throw new Error('killed')
        return await ctx.db.write(work)
      }
      await expect(mergeCrowded({ db: { ...ctx.db, write } })).rejects.toThrow('killed')
      expect(await search('tea honey')).toEqual(before)
    }
    await mergeCrowded(ctx)
    expect(await search('tea honey')).toEqual(before)
    const segments = await ctx.db.read.selectFrom('knowledge_segments').select('status').execute()
    expect(segments).toEqual([{ status: 'live' }])
  })

  test('of the former index are built while it serves, and texts added meanwhile are found', async () => {
    const { ctx, appId, add, search, instance } = await agentThatKnows(5)
    const before = await search('tea milk')
    await ctx.db.write((tx) => tx.deleteFrom('knowledge_segments').execute())
    await ctx.db.write((tx) =>
      tx.updateTable('knowledge_documents').set({ analysis_version: null }).execute(),
    )
    let added = 0
    const write: typeof ctx.db.write = async (unit) => {
      added += 1
      if (added === 3) await add(5)
      return await ctx.db.write(unit)
    }
    expect(await indexDocuments({ db: { ...ctx.db, write } })).toBe(5)
    const titles = (await search('tea milk')).map(({ title }) => title)
    expect(titles).toEqual(expect.arrayContaining(before.map(({ title }) => title)))
    expect((await search('cup 5'))[0]).toMatchObject({ title: 'Cup 5' })
    expect(await liveSegments(instance, appId)).toHaveLength(6)
  })

  test('rank by BM25 with the counts of all of them, to the last digit the same on both engines', async () => {
    const { ctx, search, add } = await agentThatKnows(12)
    await mergeCrowded(ctx)
    await add(12)
    const found = await search('tea sugar honey tea')
    const numbers = Array.from({ length: 13 }, (_, n) => n)
    const wanted = new Map([
      ['tea', (9 * 2) / (8 + 2)],
      ['sugar', 1],
      ['honey', 1],
    ])
    const expected = numbers
      .map((n) => ({ title: `Cup ${n}`, score: scoreOf(n, numbers, wanted) }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
    expect(found.map(({ score }) => score)).toEqual(
      expected.map(({ score }) => expect.closeTo(score, 10)),
    )
    expect(Object.fromEntries(found.map(({ title, score }) => [title, score.toFixed(9)]))).toEqual(
      Object.fromEntries(expected.map(({ title, score }) => [title, score.toFixed(9)])),
    )
    expect(digestOf(found)).toBe(sameOnBothEngines)
  })
})

/** Of the titles in order and all digits of their scores. */
const sameOnBothEngines = '41196b42d45709ef'

function digestOf(found: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(found)).digest('hex').slice(0, 16)
}

/** BM25 of one text, as the textbook has it. */
function scoreOf(n: number, all: readonly number[], wanted: ReadonlyMap<string, number>): number {
  const termsOf = (number: number) => analyse(`Cup ${number} ${textOf(number)}`)
  const count = (term: string, of: number) => termsOf(of).filter((one) => one === term).length
  const average = all.reduce((sum, of) => sum + termsOf(of).length, 0) / all.length
  let score = 0
  for (const [term, weight] of wanted) {
    const stem = analyse(term)[0] ?? ''
    const holders = all.filter((of) => count(stem, of) > 0).length
    const rarity = Math.log(1 + (all.length - holders + 0.5) / (holders + 0.5))
    const frequency = count(stem, n)
    const norm = frequency + 1.2 * (0.25 + (0.75 * termsOf(n).length) / average)
    score += (weight * rarity * frequency * 2.2) / norm
  }
  return score
}
