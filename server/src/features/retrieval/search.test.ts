import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { indexDocuments } from '#features/full-text/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { questionsOfLanguages, textsOfLanguages } from '#test/support/knowledge/languages.ts'
import { retrievePassages, searchKnowledge, type KnowingAgent } from './index.ts'

const harmless = [
  '"',
  'refund" OR "x',
  'refund AND',
  'NEAR(refund, 2)',
  'refund*',
  '^refund',
  '-refund',
  'heading_terms:refund',
  '{heading_terms body_terms}: refund',
  'refund (',
  "refund'); drop table knowledge_chunks; --",
  'refund \0 \ud800',
  '1:refund',
]

describeInstance('searching', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: KnowingAgent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await newAgent()
    for (const [title, text] of Object.entries(textsOfLanguages)) await add(agent.id, title, text)
  })

  async function newAgent() {
    const { id, settings } = await createAgent(instance.ctx, ada, { name: 'Helper' })
    return { id, workspaceId: ada.workspaceId, retrieval: settings.retrieval }
  }

  function add(appId: string, title: string, text: string) {
    return addTextSource(instance.ctx, ada.workspaceId, { appId, title, text })
  }

  async function search(query: string, { appId = agent.id, topK = 10 } = {}) {
    return (await searchKnowledge(instance.ctx, ada.workspaceId, { appId, query, topK })).items
  }

  test.each(questionsOfLanguages)('"%s" finds %s first', async (query, title) => {
    const [best] = await search(query)
    expect(best).toMatchObject({ title, text: textsOfLanguages[title], page: null, url: null })
    expect(best!.score).toBeGreaterThan(0)
  })

  test('scores follow the BM25 formula with the counts of this agent alone', async () => {
    const small = await newAgent()
    await add(small.id, 'One', 'heron heron pond')
    await add(small.id, 'Two', 'heron lake shore reed')
    await add(small.id, 'Three', 'mountain lake')
    const [best] = await search('heron', { appId: small.id })
    // Lengths with the title: 4, 5, 3. Two of the three chunks contain the term, the best one
    // twice.
    const weight = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    const expected = (weight * 2 * 2.2) / (2 + 1.2 * (0.25 + (0.75 * 4) / 4))
    expect(best!.title).toBe('One')
    expect(best!.score).toBeCloseTo(expected, 10)
  })

  /** As if the documents had been indexed by another version of the analyser, or not at all. */
  function forgetIndex({ ctx }: TestInstance, version: string | null) {
    return ctx.db.write((tx) =>
      tx.updateTable('knowledge_documents').set({ analysis_version: version }).execute(),
    )
  }

  test('an index that is rebuilt twice ranks and scores as before', async () => {
    const fresh = await open()
    const person = await fresh.person()
    const { id } = await createAgent(fresh.ctx, person, { name: 'Restored' })
    for (const [title, text] of Object.entries(textsOfLanguages))
      await addTextSource(fresh.ctx, person.workspaceId, { appId: id, title, text })
    const wanted = { appId: id, query: 'two days return shipping warranty', topK: 10 }
    const { items: before } = await searchKnowledge(fresh.ctx, person.workspaceId, wanted)
    for (const version of ['1', null]) {
      await forgetIndex(fresh, version)
      expect(await indexDocuments(fresh.ctx)).toBe(Object.keys(textsOfLanguages).length)
    }
    const { items: after } = await searchKnowledge(fresh.ctx, person.workspaceId, wanted)
    expect(before.map(({ title }) => title)).toEqual(['Shipping', 'Warranty', 'Returns'])
    expect(after.map(({ title }) => title)).toEqual(before.map(({ title }) => title))
    expect(after.map(({ score }) => score)).toEqual(before.map(({ score }) => score))
  })

  test('the knowledge of other agents does not change which terms are rare', async () => {
    const [mine, theirs] = [await newAgent(), await newAgent()]
    for (const n of [1, 2, 3]) await add(mine.id, `Heron ${n}`, `heron number${n}`)
    await add(mine.id, 'Crane', 'crane number4')
    for (let n = 0; n < 20; n++) await add(theirs.id, `Crane ${n}`, 'crane')
    const [best] = await search('heron crane', { appId: mine.id })
    expect(best!.title).toBe('Crane')
  })

  test('an agent never finds the knowledge of another agent', async () => {
    const other = await newAgent()
    await add(other.id, 'Secret', 'The refund code is heliotrope.')
    expect(await search('heliotrope')).toEqual([])
    expect((await search('refund')).map(({ title }) => title)).toEqual(['Returns'])
    const { passages: found } = await retrievePassages(
      instance.ctx,
      other,
      'refund return shipping warranty',
    )
    expect(found.map(({ title }) => title)).toEqual(['Secret'])
  })

  test('only a wide search finds texts by related words, of the same agent', async () => {
    const [fresh, other] = [await newAgent(), await newAgent()]
    await add(fresh.id, 'Guarantee', 'Every lamp has a warranty of two years.')
    await add(other.id, 'Secret', 'The warranty is heliotrope.')
    const find = (isWide: boolean) =>
      retrievePassages(instance.ctx, fresh, 'guarantees', { isWide })
    const titles = ({ passages }: Awaited<ReturnType<typeof find>>) =>
      passages.map(({ text }) => text)
    await add(fresh.id, 'Lamps', 'A warranty does not cover bulbs.')
    expect(titles(await find(false))).toHaveLength(1)
    const wide = await find(true)
    expect(titles(wide)).toHaveLength(2)
    expect(titles(wide).join()).not.toContain('heliotrope')
    expect(wide.relatedWords.get('guarantees')?.has('warranty')).toBe(true)
  })

  test('a wide search for one word finds more passages, as the built-in model chooses among them', async () => {
    const fresh = await newAgent()
    const sections = Array.from({ length: 70 }, (_, n) => `# Part ${n}\n\nThe marten runs ${n}.`)
    await add(fresh.id, 'Martens', sections.join('\n\n'))
    const count = async (question: string, isWide: boolean) =>
      (await retrievePassages(instance.ctx, fresh, question, { isWide })).passages.length
    expect(await count('What is a marten?', true)).toBe(60)
    expect(await count('Where does a marten run?', true)).toBe(20)
    expect(await count('What is a marten?', false)).toBe(fresh.retrieval.top_k)
  })

  test('a word in a title or a heading counts more than a word in the text', async () => {
    const fresh = await newAgent()
    await add(fresh.id, 'Alpha', '# Notes\n\nThe badger appears in passing here.')
    await add(fresh.id, 'Beta', '# Badger\n\nAn animal appears in passing here.')
    const found = await search('badger', { appId: fresh.id })
    expect(found.map(({ title }) => title)).toEqual(['Beta', 'Alpha'])
    expect(found[0]).toMatchObject({ heading: 'Badger' })
  })

  test('each source is returned once with its best chunk, up to the limit', async () => {
    const fresh = await newAgent()
    const many = (n: number) => `# Part ${n}\n\nThe marmot whistles.`
    const text = `${Array.from({ length: 40 }, (_, n) => many(n)).join('\n\n')}\n\n# Top\n\nmarmot`
    await add(fresh.id, 'Repeating', text)
    for (const n of [1, 2, 3])
      await add(fresh.id, `Other ${n}`, `Somewhere there is a marmot, too. ${'word '.repeat(50)}`)
    const found = await search('marmot', { appId: fresh.id, topK: 3 })
    expect(found).toHaveLength(3)
    expect(found[0]).toMatchObject({ title: 'Repeating', heading: 'Top' })
    expect(new Set(found.map(({ sourceId }) => sourceId)).size).toBe(3)
    const scores = found.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  test.each(['', '   ', '😀🎉', '?!"', 'what is the', 'und die der', 'xylophonist'])(
    '"%s" finds nothing',
    async (query) => {
      expect(await search(query)).toEqual([])
      expect((await retrievePassages(instance.ctx, agent, query)).passages).toEqual([])
    },
  )

  test.each(harmless)('%j is searched as words', async (query) => {
    const found = await search(query)
    const titles = found.map(({ title }) => title)
    expect(titles).toEqual(query === '"' ? [] : ['Returns'])
  })

  test('a question as long as a document has results', async () => {
    const words = Array.from({ length: 5000 }, (_, n) => `word${n}`).join(' ')
    expect(await search(`warranty ${words}`)).toMatchObject([{ title: 'Warranty' }])
  })

  test('an agent without knowledge finds nothing', async () => {
    const empty = await newAgent()
    expect(await search('refund', { appId: empty.id })).toEqual([])
    expect((await retrievePassages(instance.ctx, empty, 'refund')).passages).toEqual([])
  })

  test('an agent retrieves at most top_k passages, several of one source, none below min_score', async () => {
    const fresh = await newAgent()
    await add(fresh.id, 'Long', '# A\n\nThe stoat runs.\n\n# B\n\nThe stoat sleeps.')
    await add(fresh.id, 'Short', `A stoat ${'among many other words '.repeat(10)}`)
    const retrieve = async (retrieval: { top_k: number; min_score: number }) => {
      const agent = { ...fresh, retrieval: { ...fresh.retrieval, ...retrieval } }
      return (await retrievePassages(instance.ctx, agent, 'stoat')).passages
    }
    const all = await retrieve({ top_k: 5, min_score: 0 })
    expect(all.map(({ title, heading }) => `${title} ${heading}`)).toEqual([
      'Long A',
      'Long B',
      'Short ',
    ])
    expect(await retrieve({ top_k: 1, min_score: 0 })).toHaveLength(1)
    expect(await retrieve({ top_k: 5, min_score: all[1]!.score })).toHaveLength(2)
    expect(await retrieve({ top_k: 5, min_score: all[0]!.score + 1 })).toEqual([])
  })

  test('an agent with too many chunks for the calling thread is searched in the worker thread', async () => {
    const big = await newAgent()
    const text = Array.from({ length: 2100 }, (_, n) => `# N${n}\n\nvole number${n}`).join('\n\n')
    await add(big.id, 'Big', text)
    const [passage] = (await retrievePassages(instance.ctx, big, 'number1234 vole')).passages
    expect(passage).toMatchObject({ heading: 'N1234' })
    // Every chunk contains this term. It is still searched for if the question has no other.
    expect((await retrievePassages(instance.ctx, big, 'vole')).passages).toHaveLength(5)
  })
})
