import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { getConversation, listConversations } from '#features/conversations/index.ts'
import { answerOf, describeChat } from '#test/support/chat-service.ts'

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
})
