import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'

interface Agent {
  readonly id: string
  readonly app_name_id: string
  readonly key: string
}

describeChat('the circuit of a model', (open) => {
  test('is one for all agents that call it with the same key, and none for other models of the provider', async () => {
    const chat = await open({
      model: {
        script: ({ body }) =>
          body.model === 'down' ? { reply: '', status: 500 } : { reply: String(body.model) },
      },
      environment: { MODEL_CIRCUIT_FAILURES: '2' },
    })
    const { ctx, owner, model: provider } = chat
    const stranger = await chat.person({ plan: 'builder' })
    const first = { ...chat.agent, key: chat.key }
    const second = await chat.makeAgent({ owner })
    const other = await chat.makeAgent({ owner: stranger })
    const ask = async ({ app_name_id: model, key }: Agent) => {
      const before = provider.requests.length
      const messages = [{ role: 'user', content: '?' }]
      const answer = await chat.post({ model, messages }, { authorization: `Bearer ${key}` })
      expect(answer.status).toBe(200)
      return provider.requests.slice(before).map(({ body }) => body.model)
    }
    const settings = { model: 'openai/down', fallback_models: ['openai/up'] }
    await updateAgent(ctx, owner, first.id, settings)
    await updateAgent(ctx, owner, second.id, settings)
    expect(await ask(first)).toEqual(['down', 'up'])
    expect(await ask(second)).toEqual(['down', 'up'])
    // Two failures in a row, one of each agent.
    expect(await ask(first)).toEqual(['up'])
    expect(await ask(second)).toEqual(['up'])
    await updateAgent(ctx, owner, second.id, { model: 'openai/another' })
    expect(await ask(second)).toEqual(['another'])
    // The operator's key is the same for other workspaces.
    await updateAgent(ctx, stranger, other.id, settings)
    expect(await ask(other)).toEqual(['up'])
  })
})
