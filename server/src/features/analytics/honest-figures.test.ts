import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { setPrice } from '#features/credits/index.ts'
import { storeSession, type MessageInput } from '#test/support/chat/chat-history.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { getAppAnalytics, rollUp } from './index.ts'

describeInstance('the figures of an agent', (open) => {
  let instance: TestInstance
  let ada: Person
  let appId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  beforeEach(async () => {
    appId = (await createAgent(instance.ctx, ada, { name: 'Counted' })).id
  })

  async function talk(content: string, answer: Partial<MessageInput> = {}): Promise<void> {
    const at = instance.ctx.clock.now()
    const messages = [
      { role: 'user', at, content },
      { ...answer, role: 'assistant', at },
    ] as const
    await storeSession(instance.ctx.db, { workspaceId: ada.workspaceId, agentId: appId, messages })
  }

  const price = { promptMicrosPerMillion: 0, completionMicrosPerMillion: 0, callMicros: 5 }

  async function set(pattern: string, priced: typeof price | null): Promise<void> {
    instance.advance(1000)
    await setPrice(instance.ctx, ada.userId, { pattern, price: priced })
    instance.advance(1000)
  }

  const answerOf = (model: string) => talk('Hi', { model })

  const figures = () => getAppAnalytics(instance.ctx, ada.workspaceId, { appId })

  test('never show a median first word after the median answer: both count the same answers', async () => {
    // Quick answers at once, slow ones word by word, and one that failed after its first word.
    for (const latency_ms of [10, 20, 30]) await talk('Hi', { latency_ms })
    await talk('Hi', { latency_ms: 4000, first_token_ms: 1000 })
    await talk('Hi', { latency_ms: 9000, first_token_ms: 8000, error_code: 'model_timeout' })
    const { totals } = await figures()
    expect(totals).toMatchObject({ latency_p50_ms: 20, first_token_p50_ms: 20 })
  })

  test('show no later first word in spans that an older version has counted', async () => {
    await talk('Hi', { latency_ms: 10 })
    instance.advance(10 * 60_000)
    await rollUp(instance.ctx)
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('analytics_figures')
        .set({ first_token_json: '{"50":1}' })
        .where('agent_id', '=', appId)
        .execute(),
    )
    expect((await figures()).totals).toMatchObject({ latency_p50_ms: 10, first_token_p50_ms: 10 })
  })

  test('group questions by their words, under the most frequent wording', async () => {
    const wordings = [
      'Where is my order?',
      'My order, where is it',
      'where are my ORDERS',
      'Is it?',
    ]
    for (const wording of [...wordings, 'Where is my order', 'When do you open?'])
      await talk(wording)
    instance.advance(10 * 60_000)
    await rollUp(instance.ctx)
    await talk('Orders: where?')
    await talk('Where do you open?')
    expect((await figures()).topQuestions).toEqual([
      { question: 'where is my order', conversations: 5 },
      { question: 'is it', conversations: 1 },
      { question: 'when do you open', conversations: 1 },
      { question: 'where do you open', conversations: 1 },
    ])
  })

  test('count answers whose price is not known, before and after the roll-up', async () => {
    await answerOf('openai/early')
    await set('openai/*', price)
    await answerOf('openai/Late')
    await answerOf('local/extractive')
    await answerOf('anthropic/other')
    await set('openai/*', null)
    await answerOf('openai/removed')
    await set('*', price)
    await answerOf('anthropic/other')
    expect((await figures()).totals.unpriced_answers).toBe(3)
    instance.advance(10 * 60_000)
    await rollUp(instance.ctx)
    expect((await figures()).totals.unpriced_answers).toBe(3)
  })

  test('count answers of self-hosted models as without a price if only all models have one', async () => {
    await set('*', price)
    const selfHosted = [...instance.ctx.config.providers]
      .filter(([name, { isSelfHosted }]) => isSelfHosted && name !== 'local')
      .map(([name]) => name)
    expect(selfHosted).not.toEqual([])
    await answerOf('anthropic/any')
    for (const provider of selfHosted) {
      await answerOf(`${provider}/any`)
      await set(`${provider}/*`, price)
      await answerOf(`${provider}/any`)
    }
    expect((await figures()).totals.unpriced_answers).toBe(selfHosted.length)
  })

  test('count answers as without a price after it was removed in another spelling', async () => {
    await set('*', null)
    await set('openai/Big', price)
    await answerOf('openai/big')
    await set('openai/big', null)
    await answerOf('openai/Big')
    expect((await figures()).totals.unpriced_answers).toBe(1)
  })

  test('include the latest events, whenever the roll-up ran', async () => {
    await talk('First')
    instance.advance(60 * 60_000)
    await rollUp(instance.ctx)
    await talk('Second')
    const { totals, countedUntil } = await figures()
    expect(totals.sessions).toBe(2)
    expect(instance.ctx.clock.now() - countedUntil).toBeLessThanOrEqual(3 * 60_000)
  })
})
