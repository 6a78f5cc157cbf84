import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { rollUp } from '#features/analytics/index.ts'
import { getConversation, listConversations } from '#features/conversations/index.ts'
import { setPrice } from '#features/credits/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { answerOf, describeChat } from '#test/support/chat/chat-service.ts'
import { price } from '#test/support/chat/long-sessions.ts'
import { actorOf } from '#test/support/test-instance.ts'

describeChat('the model that answered', (open) => {
  test('is named by the conversation and found by its filter, not the one that failed', async () => {
    const chat = await open({
      model: {
        script: ({ body }) =>
          body.model === 'first' ? { reply: '', status: 503 } : { reply: 'Hello' },
      },
    })
    const { ctx, owner, agent } = chat
    const settings = { model: 'openai/first', fallback_models: ['openai/second'] }
    await updateAgent(ctx, owner, agent.id, settings)
    const { chatSessionId } = await answerOf(chat.say('Hi'))
    const { messages } = await getConversation(ctx, owner.workspaceId, chatSessionId, { limit: 10 })
    expect(messages.items.map(({ role, model }) => [role, model])).toEqual([
      ['user', null],
      ['assistant', 'openai/second'],
    ])
    const found = async (model: string) => {
      const query = { limit: 10, model }
      const { items } = await listConversations(ctx, owner.workspaceId, agent.id, query)
      return items.map(({ id }) => id)
    }
    expect(await found('openai/second')).toEqual([chatSessionId])
    expect(await found('openai/first')).toEqual([])
  })

  test('is named by the ledger, and listed in analytics with its turns, share and cost', async () => {
    const chat = await open({
      model: {
        script: ({ body }) =>
          body.model === 'first' && JSON.stringify(body.messages).includes('busy')
            ? { reply: '', status: 503 }
            : { reply: 'Hello', usage: { prompt: 10, completion: 5 } },
      },
    })
    const { ctx, owner, agent } = chat
    const settings = { model: 'openai/first', fallback_models: ['openai/second'] }
    await updateAgent(ctx, owner, agent.id, settings)
    await setPrice(ctx, owner.userId, { pattern: 'openai/second', price: price(2) })
    for (const [question, more] of [
      ['Hi', {}],
      ['busy', {}],
      ['Hi', { store: false }],
      ['busy', { stream: true }],
    ] as const) {
      const answer = await chat.say(question, more)
      expect(answer.status).toBe(200)
      await answer.text()
    }
    const entries = ctx.db.read.selectFrom('credit_entries').select(['model', 'amount_micros'])
    expect(await entries.where('kind', '=', 'turn').orderBy('id').execute()).toEqual([
      { model: 'openai/first', amount_micros: 0 },
      { model: 'openai/second', amount_micros: -30 },
      { model: 'openai/first', amount_micros: 0 },
      { model: 'openai/second', amount_micros: -30 },
    ])
    const counted = { turns: 2, share: 0.5 }
    const models = [
      { model: 'openai/first', ...counted, cost_micros: null, unpriced_turns: 2 },
      { model: 'openai/second', ...counted, cost_micros: 60, unpriced_turns: 0 },
    ]
    const listed = async (more = {}) => {
      const operation = findOperation('get_app_analytics')!
      const input = { app_id: agent.id, ...more }
      return (await runOperation(ctx, actorOf(owner), operation, input)).top_models
    }
    expect(await listed()).toEqual(models)
    expect(await listed({ source: 'page' })).toEqual([])
    // The same when the job has counted them.
    chat.advance(180_000)
    await rollUp(ctx)
    expect(await listed({ source: 'api' })).toEqual(models)
    const rows = ctx.db.read.selectFrom('analytics_models').select('turns')
    expect(await rows.execute()).toHaveLength(2)
  })
})
