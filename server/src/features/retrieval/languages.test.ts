import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent, updateAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import {
  startEmbeddingServer,
  type EmbeddingServer,
} from '#test/support/servers/embedding-server.ts'
import type { TestInstance, Person } from '#test/support/test-instance.ts'
import { questionsOfLanguages, textsOfLanguages } from '#test/support/knowledge/languages.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { describeVectors } from '#test/support/knowledge/describe-vectors.ts'
import { searchKnowledge } from './index.ts'

/** The translations of one word, for which a multilingual model returns the same vector. */
const wordsForRefund = {
  German: 'Erstattung',
  Chinese: '退款',
  Japanese: '返金',
  Arabic: 'استرداد',
}
const synonyms = Object.fromEntries(
  Object.values(wordsForRefund).map((word) => [word.toLowerCase(), 'refund']),
)

describeVectors('searching in many languages with vectors on', (open) => {
  let provider: EmbeddingServer

  beforeAll(async () => {
    provider = await startEmbeddingServer({ synonyms })
  })
  afterAll(() => provider.stop())

  async function openWith(model: string): Promise<{ instance: TestInstance; ada: Person }> {
    const instance = await open({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-operator',
      EMBEDDING_MODEL: `openai/${model}`,
    })
    return { instance, ada: await instance.person() }
  }

  async function agentThatKnows(
    { instance, ada }: { instance: TestInstance; ada: Person },
    texts: Readonly<Record<string, string>>,
  ): Promise<string> {
    const { id: appId } = await createAgent(instance.ctx, ada, { name: 'Polyglot' })
    for (const [title, text] of Object.entries(texts))
      await addTextSource(instance.ctx, ada.workspaceId, { appId, title, text })
    await runIngestion(instance, { later: false })
    return appId
  }

  // One compares words, one compares parts of words, and one is random.
  describe.each(['points', 'trigrams', 'random'])('of a model of %s', (model) => {
    let place: { instance: TestInstance; ada: Person }
    let appId: string

    beforeAll(async () => {
      place = await openWith(model)
      appId = await agentThatKnows(place, textsOfLanguages)
    })

    test.each(questionsOfLanguages)('"%s" finds %s first', async (query, title) => {
      const { instance, ada } = place
      const wanted = { appId, query, topK: 10 }
      const { items, mode, without } = await searchKnowledge(instance.ctx, ada.workspaceId, wanted)
      expect({ mode, without }).toEqual({ mode: 'hybrid', without: null })
      expect(items[0]).toMatchObject({ title, text: textsOfLanguages[title] })
      expect(items[0]?.why.vector).not.toBeNull()
    })
  })

  test('full text keeps its order in Chinese beside a random model', async () => {
    const { instance, ada } = await openWith('random')
    const appId = await agentThatKnows(
      { instance, ada },
      Object.fromEntries(
        ['退款将退回到您的银行卡', ...'一二三四五六七八九'].map((text, n) => [
          `${n}`,
          n === 0 ? `${text}。` : `银行卡第${text}条说明。`,
        ]),
      ),
    )
    const titles = async (mode: 'fulltext' | 'hybrid') => {
      await updateAgent(instance.ctx, ada, appId, { retrieval: { mode } })
      const wanted = { appId, query: '退款什么时候到银行卡', topK: 10 }
      const { items } = await searchKnowledge(instance.ctx, ada.workspaceId, wanted)
      return items.map(({ title }) => title)
    }
    expect(await titles('hybrid')).toEqual(await titles('fulltext'))
  }, 60_000)

  describe('of a multilingual model', () => {
    let place: { instance: TestInstance; ada: Person }
    let appId: string

    beforeAll(async () => {
      place = await openWith('points')
      appId = await agentThatKnows(place, {
        Returns: 'A refund takes five days.',
        Shipping: 'Parcels leave at noon.',
        Warranty: 'Two years on all parts.',
      })
    })

    test.each(['hybrid', 'vector'] as const)(
      'a question finds the same meaning in another language, by mode %s',
      async (mode) => {
        const { instance, ada } = place
        await updateAgent(instance.ctx, ada, appId, { retrieval: { mode } })
        for (const query of Object.values(wordsForRefund)) {
          const wanted = { appId, query, topK: 1 }
          const { items } = await searchKnowledge(instance.ctx, ada.workspaceId, wanted)
          expect(items, query).toMatchObject([{ title: 'Returns', why: { fulltext: null } }])
        }
      },
    )
  })
})
