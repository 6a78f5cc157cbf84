import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { retrievePassages, type FoundKnowledge, type KnowingAgent } from './index.ts'

const retrieval = { top_k: 5, min_score: 0, vector_weight: null, mode: 'fulltext' } as const

const texts = {
  Refunds: 'A refund is paid within a week of the delivery.',
  Warranty: 'The warranty covers separate parts.',
  Post: 'Shipping costs four euros. We print and discard labels.',
  Rückgabe: 'Die Rückerstattung erfolgt nach der Lieferung der Bestellung.',
}

describeInstance('A wide search with a typing error', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: KnowingAgent

  async function agentThatKnows(known: Readonly<Record<string, string>>): Promise<KnowingAgent> {
    const { id } = await createAgent(instance.ctx, ada, { name: 'Helper' })
    for (const [title, text] of Object.entries(known))
      await addTextSource(instance.ctx, ada.workspaceId, { appId: id, title, text })
    return { id, workspaceId: ada.workspaceId, retrieval }
  }

  const search = (question: string, isWide = true): Promise<FoundKnowledge> =>
    retrievePassages(instance.ctx, agent, question, { isWide })

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await agentThatKnows(texts)
  })

  test.each([
    ['a missing letter', 'delivry', 'Refunds'],
    ['an additional letter', 'refundd', 'Refunds'],
    ['exchanged letters', 'refnud', 'Refunds'],
    ['an error in the ending', 'shippnig', 'Post'],
    ['another letter in a long word', 'seperate', 'Warranty'],
    ['a doubled letter that is missing', 'waranty', 'Warranty'],
    ['a German word', 'Bestelung', 'Rückgabe'],
  ])('finds what is meant: %s', async (_, word, title) => {
    expect((await search(`zyzzyva ${word}`)).passages[0]?.title).toBe(title)
    expect((await search(`zyzzyva ${word}`, false)).passages).toEqual([])
  })

  test('finds the words that are related to the one that is meant', async () => {
    const related = (await search('garantee')).relatedWords.get('garantee')
    expect(related).toBeUndefined()
    const { relatedWords } = await search('warrnty')
    expect([...(relatedWords.get('warrnty') ?? [])]).toContainEqual(['guarantee', 0.7])
  })

  test('weighs a mistyped word like the one that is meant', async () => {
    const [right, typed] = await Promise.all(['delivery', 'delivry'].map((word) => search(word)))
    expect(typed?.weighWords().words.get('delivry')).toBe(right?.weighWords().words.get('delivery'))
  })

  test.each([
    ['is short', 'weak'],
    ['has another first letter', 'eefund'],
    ['has another letter and is not long', 'point'],
    ['has two errors', 'delvry'],
    ['is in the list of related words', 'clone'],
  ])('finds nothing if the word %s', async (_, word) => {
    expect((await search(`zyzzyva ${word}`)).passages).toEqual([])
  })

  test('knows only the words of its own agent', async () => {
    await agentThatKnows({ Zoo: 'The elephant sleeps.' })
    expect((await search('elefant elephnt')).passages).toEqual([])
  })

  test('corrects at most three words', async () => {
    const { relatedWords } = await search('delivry refundd waranty shippnig')
    expect([...relatedWords.keys()].toSorted()).toEqual(['delivry', 'refundd', 'waranty'])
  })
})
