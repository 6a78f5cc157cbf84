import { expect, test } from 'vitest'
import { answerOf, describeChat } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'
import { filesOf } from '#test/support/knowledge/uploads.ts'

const environment = { MAX_HISTORY_BYTES: '3000', MAX_BODY_BYTES: '3000' }
const text = `The door is green. ${'字'.repeat(4_000)}`

describeChat('a message that is larger than a history', (open) => {
  test('is read in the next turns, and what a client resends is not stored again', async () => {
    const chat = await open({ environment })
    const { id } = await filesOf(chat).made(text)
    const content = [
      { type: 'file', file: { file_id: id } },
      { type: 'text', text: 'Which colour?' },
    ]
    const messages: object[] = [{ role: 'user', content }]
    const { chatSessionId, choices } = await answerOf(chat.say('', { messages }))
    const sent = (n: number) => JSON.stringify(chat.model.requests[n]?.body.messages)
    await answerOf(chat.say('Are you sure?', { chatSessionId }))
    expect(sent(1)).toContain('The door is green.')
    expect(sent(1)).toContain('Which colour?')
    const answer = choices[0].message.content
    const resent = [
      ...messages,
      { role: 'assistant', content: answer },
      { role: 'user', content: 'Are you sure?' },
      { role: 'assistant', content: answer },
      { role: 'user', content: 'Really?' },
    ]
    await answerOf(chat.say('', { messages: resent, chatSessionId }))
    expect(sent(2).split('The door is green.')).toHaveLength(2)
    const stored = chat.ctx.db.read.selectFrom('chat_messages').select('seq').execute()
    expect(await stored).toHaveLength(6)
  })

  test('is part of a branch', async () => {
    const chat = await open({ environment })
    const { id: file_id } = await filesOf(chat).made(text)
    const { create } = responsesOf(chat)
    const content = [{ type: 'input_file', file_id }]
    const first = await create({ input: [{ type: 'message', role: 'user', content }] })
    await create({ input: 'one', previous_response_id: first.id })
    await create({ input: 'two', previous_response_id: first.id })
    const sent = JSON.stringify(chat.model.requests[2]?.body.messages)
    expect(sent).toContain('The door is green.')
    expect(sent).not.toContain('one')
  })

  test('is forgotten once the messages beside it are larger than a history', async () => {
    const chat = await open({ environment, model: { reply: 'a'.repeat(1_600) } })
    const { id } = await filesOf(chat).made(text)
    const part = { type: 'file', file: { file_id: id } }
    const asked = { messages: [{ role: 'user', content: [part] }] }
    const { chatSessionId } = await answerOf(chat.say('', asked))
    for (const question of ['one', 'two', 'three'])
      await answerOf(chat.say(question, { chatSessionId }))
    const last = JSON.stringify(chat.model.requests[3]?.body.messages)
    expect(last).not.toContain('The door is green.')
    expect(last).toContain('two')
  })
})
