import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { addAction, loopback, openWithToolCalls } from '#test/support/chat/agent-with-actions.ts'
import { allRows } from '#test/support/databases/all-rows.ts'
import {
  answerOf,
  describeChat,
  readFrames,
  type OpenChat,
} from '#test/support/chat/chat-service.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

const lookUp = { type: 'function', function: { name: 'look_up' } }
const question = { role: 'user', content: 'What is tea?' }
const thinking = { type: 'thinking', thinking: 'Hm, tea.', signature: 'signed' }

/** An agent with a model of Anthropic that thinks and calls a tool, and then answers. */
async function openThinking(open: OpenChat, name: string, store = false) {
  const script = (_: unknown, n: number): ModelScript =>
    n % 2 === 0 ? { reply: '', reasoning: 'Hm, tea.', toolCalls: [{ name }] } : { reply: 'Done.' }
  const { model } = await open({ model: { script } })
  const environment = { ...loopback, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: model.origin }
  const chat = await open({ environment })
  const { ctx, owner, agent } = chat
  await updateAgent(ctx, owner, agent.id, {
    model: 'anthropic/claude-sonnet-4-5',
    store_reasoning: store,
  })
  return { chat, model }
}

describeChat('what a model of Anthropic thought before its calls', (open) => {
  test.each([false, true])(
    'is sent back with the results of actions (stream: %s)',
    async (stream) => {
      const api = await startActionServer(json({ degrees: 21 }))
      const { chat, model } = await openThinking(open, 'get_weather')
      await addAction(chat, { url: api.origin })
      const response = await chat.say('Weather?', { reasoning_effort: 'low', stream })
      expect(response.status).toBe(200)
      if (stream) await readFrames(response)
      const { body } = model.requests[1]!
      expect(body.thinking).toMatchObject({ type: 'enabled' })
      expect(body.messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content: [thinking, { type: 'tool_use' }] },
        { role: 'user' },
      ])
    },
  )

  test.each([
    ['is sent back with the results of the caller if it is stored', true],
    ['is not stored without the setting, and the model does not think on', false],
  ])('%s', async (_, store) => {
    const { chat, model } = await openThinking(open, 'look_up', store)
    const asked = { model: chat.agent.app_name_id, tools: [lookUp], reasoning_effort: 'low' }
    const first = await answerOf(chat.post({ ...asked, messages: [question] }))
    const { chatSessionId } = first
    const result = { role: 'tool', tool_call_id: 'call_0', content: 'a drink' }
    await answerOf(chat.post({ ...asked, messages: [result], chatSessionId }))
    const { body } = model.requests[1]!
    expect(body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [...(store ? [thinking] : []), { type: 'tool_use' }] },
      { role: 'user' },
    ])
    expect(body.thinking === undefined).toBe(!store)
    const rows = await allRows(chat)
    expect(rows).toContain('a drink')
    expect(rows.includes('Hm, tea.')).toBe(store)
  })
})

describeChat('what calls carry for a provider', (open) => {
  test('is not sent to another provider, which the agent has by now', async () => {
    const extra = { google: { thought_signature: 'for-google' } }
    const other = await open({ model: { reply: 'Done.' } })
    const environment = { OLLAMA_BASE_URL: other.model.origin }
    const chat = await openWithToolCalls(open, [[{ name: 'look_up', extra }]], environment)
    const { ctx, owner, agent } = chat
    const ask = { model: agent.app_name_id, tools: [lookUp] }
    const { chatSessionId } = await answerOf(chat.post({ ...ask, messages: [question] }))
    const result = { role: 'tool', tool_call_id: 'call_0', content: 'a drink' }
    await updateAgent(ctx, owner, agent.id, { model: 'ollama/llama3.2' })
    await answerOf(chat.post({ ...ask, messages: [result], chatSessionId }))
    expect(JSON.stringify(other.model.requests[0]?.body)).toContain('a drink')
    expect(JSON.stringify(other.model.requests[0]?.body)).not.toContain('for-google')
  })
})
