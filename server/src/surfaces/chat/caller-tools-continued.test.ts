import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { openWithToolCalls } from '#test/support/chat/agent-with-actions.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { responsesOf, textOf } from '#test/support/chat/open-responses.ts'
import { chatSurface } from './index.ts'

const lookUp = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: {} } },
}
const call = { name: 'look_up', arguments: { word: 'tea' } }
const wire = {
  id: 'call_0',
  type: 'function',
  function: { name: 'look_up', arguments: '{"word":"tea"}' },
}
const question = { role: 'user', content: 'What is tea?' }
const waiting = { role: 'assistant', content: null, tool_calls: [wire] }
const result = { role: 'tool', tool_call_id: 'call_0', content: 'a drink' }

/** The same service as another process runs it. */
async function inAnotherProcess(chat: ChatService): Promise<Pick<ChatService, 'app'>> {
  const { ctx } = await chat.again()
  return { app: new Hono().route('/api/v1', chatSurface(ctx)) }
}

describeChat('a turn that waits for the caller’s tools', (open) => {
  test('goes on in another process, with its session', async () => {
    const chat = await openWithToolCalls(open, [[call]])
    const { chatSessionId } = await answerOf(chat.say('What is tea?', { tools: [lookUp] }))
    const other = await inAnotherProcess(chat)
    const response = await other.app.request('/api/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${chat.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: chat.agent.app_name_id,
        messages: [result],
        chatSessionId,
        tools: [lookUp],
      }),
    })
    const last = await answerOf(response)
    expect(last).toMatchObject({ chatSessionId, choices: [{ message: { content: 'Done.' } }] })
    expect(chat.model.requests[1]?.body.messages).toEqual([question, waiting, result])
  })

  test('goes on in another process, with the id of its response', async () => {
    const chat = await openWithToolCalls(open, [[call]])
    const tools = [{ type: 'function', ...lookUp.function }]
    const first = await responsesOf(chat).create({ input: 'What is tea?', tools })
    const other = responsesOf({ ...chat, ...(await inAnotherProcess(chat)) })
    const output = { type: 'function_call_output', call_id: 'call_0', output: 'a drink' }
    const last = await other.create({ input: [output], previous_response_id: first.id, tools })
    expect(textOf(last)).toBe('Done.')
    expect(last.conversation).toEqual(first.conversation)
    expect(chat.model.requests[1]?.body.messages).toEqual([question, waiting, result])
  })

  test('is sent no tools with the choice none, unless the history has calls', async () => {
    const chat = await openWithToolCalls(open, [])
    const none = { model: chat.agent.app_name_id, tools: [lookUp], tool_choice: 'none' }
    await chat.post({ ...none, messages: [question] })
    await chat.post({ ...none, messages: [question, waiting, result] })
    const [first, second] = chat.model.requests.map(({ body }) => body)
    expect(first).not.toHaveProperty('tools')
    expect(second).toMatchObject({ tools: [lookUp], tool_choice: 'none' })
  })
})
