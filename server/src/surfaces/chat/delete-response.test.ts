import { expect, test } from 'vitest'
import { answerOf, describeChat, type ChatService } from '#test/support/chat-service.ts'
import { bodyOf, responsesOf, type ResponseBody } from '#test/support/open-responses.ts'

const messages = async ({ ctx }: ChatService) =>
  (await ctx.db.read.selectFrom('chat_messages').select('id').execute()).length

describeChat('deleting responses', (open) => {
  test('a deleted response is gone, and deleting the last one deletes its messages', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create, call } = responsesOf(service)
    const first = await create({ input: 'one' })
    const second = await create({ input: 'two', previous_response_id: first.id })
    const deleted = await bodyOf<object>(await call('DELETE', `/responses/${first.id}`), 200)
    expect(deleted).toEqual({ id: first.id, object: 'response', deleted: true })
    expect((await call('GET', `/responses/${first.id}`)).status).toBe(404)
    expect(await messages(service)).toBe(4)
    await call('DELETE', `/responses/${second.id}`)
    expect(await messages(service)).toBe(0)
    expect((await call('DELETE', `/responses/${second.id}`)).status).toBe(404)
  })

  test('a session to which other requests added messages outlives its responses', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create, call } = responsesOf(service)
    const sessionOf = ({ conversation }: ResponseBody) =>
      conversation?.id.slice('conv_'.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    const first = await create({ input: 'one' })
    await answerOf(service.say('by chat completions', { chatSessionId: sessionOf(first) }))
    await call('DELETE', `/responses/${first.id}`)
    expect(await messages(service)).toBe(4)
    const named = await create({ input: 'two' })
    const last = await create({ input: 'three', conversation: named.conversation?.id })
    // The request of the other one named the session, also after it was deleted.
    for (const { id } of [last, named]) await call('DELETE', `/responses/${id}`)
    expect(await messages(service)).toBe(8)
    const branched = await create({ input: 'four' })
    const next = await create({ input: 'five', previous_response_id: branched.id })
    const branch = await create({ input: 'six', previous_response_id: branched.id })
    expect(await messages(service)).toBe(16)
    for (const { id } of [branched, branch, next]) await call('DELETE', `/responses/${id}`)
    expect(await messages(service)).toBe(8)
  })
})
