import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { analyseQuestion, hanPairs } from '#features/text-analysis/index.ts'
import { startEmbeddingServer } from '#test/support/servers/embedding-server.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { describeVectors } from '#test/support/knowledge/describe-vectors.ts'
import { searchKnowledge } from './index.ts'
import { singleCharacters } from './single-characters.ts'

const texts = {
  退货: '您可以在三十天内退货。退款将退回到您的银行卡。',
  发货: '我们是在每天中午发货的。',
  返品: '返品はお受けします。送料は無料です。',
  Parley: 'Parley answers questions. Parley cites its sources.',
}

test.each([
  ['如何退钱', '退 钱'],
  // Characters without a meaning of their own are not searched alone.
  ['是不是的', ''],
  // A single character is a term already, and other scripts have no single characters.
  ['犬は何を食べますか', ''],
  ['配送 express', '配 送'],
])('of %j the single characters are %j', (question, characters) => {
  const words = singleCharacters(hanPairs(analyseQuestion(question)))
  expect(words.map(({ term }) => term).join(' ')).toBe(characters)
})

async function agentThatKnows({ ctx }: TestInstance, ada: Person): Promise<string> {
  const { id: appId } = await createAgent(ctx, ada, { name: 'Helper' })
  for (const [title, text] of Object.entries(texts))
    await addTextSource(ctx, ada.workspaceId, { appId, title, text })
  return appId
}

describeInstance('a question in Han characters', (open) => {
  let instance: TestInstance
  let ada: Person
  let appId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    appId = await agentThatKnows(instance, ada)
  })

  async function search(query: string) {
    const wanted = { appId, query, topK: 10 }
    return (await searchKnowledge(instance.ctx, ada.workspaceId, wanted)).items
  }

  test.each([
    ['如何退钱', '退货', ['退']],
    ['钱怎么返还', '返品', ['返']],
    ['返却', '返品', ['返']],
    ['返却の方法', '返品', ['返']],
  ])('%j finds a text with which it shares no pair', async (question, title, terms) => {
    const [best] = await search(question)
    expect(best).toMatchObject({ title, terms })
    expect(best!.score).toBeGreaterThan(0)
  })

  test('with a known pair is searched by its pairs alone', async () => {
    // Other texts contain 中, 天 and 退, but no pair of these questions.
    for (const [question, title] of [
      ['退款中天', '退货'],
      ['中午退', '发货'],
    ] as const)
      expect((await search(question)).map((item) => item.title)).toEqual([title])
  })

  test('is searched by its characters, and by its words of other scripts', async () => {
    const found = await search('parley 返却')
    expect(found.map(({ title }) => title).toSorted()).toEqual(['Parley', '返品'])
  })

  test.each(['苹果电脑', '是不是的', '我们的吗'])('%j finds nothing', async (question) => {
    expect(await search(question)).toEqual([])
  })
})

describeVectors('a question in Han characters, with vectors on', (open) => {
  test('does not search single characters', async () => {
    const provider = await startEmbeddingServer({ synonyms: { 退钱: 'refund' } })
    try {
      const instance = await open({
        OPENAI_BASE_URL: provider.baseUrl,
        OPENAI_API_KEY: 'sk-operator',
        EMBEDDING_MODEL: 'openai/points',
      })
      const ada = await instance.person()
      const appId = await agentThatKnows(instance, ada)
      await runIngestion(instance, { later: false })
      const wanted = { appId, query: '如何退钱', topK: 10 }
      const { items, mode } = await searchKnowledge(instance.ctx, ada.workspaceId, wanted)
      expect(mode).toBe('hybrid')
      for (const { why } of items) expect(why.fulltext).toBeNull()
    } finally {
      await provider.stop()
    }
  })
})
