import { describe, expect, test } from 'vitest'
import { eraseEndUser } from '#features/analytics/index.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { bodyOf, expectOfficial, responsesOf } from '#test/support/chat/open-responses.ts'
import { actorOf } from '#test/support/test-instance.ts'

const data = Buffer.from('RIFF0000WAVE').toString('base64')
const part = { type: 'input_audio', input_audio: { data, format: 'wav' } }
const asking = (...parts: object[]) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Who speaks?' }, ...parts] }],
})

/** A service with an agent whose model accepts audio. */
async function hearing(chat: ChatService, model = 'openai/gpt-audio') {
  const agent = await chat.makeAgent({ model })
  const say = (body: object, more: object = {}) =>
    chat.post(
      { model: agent.app_name_id, ...body, ...more },
      { authorization: `Bearer ${agent.key}` },
    )
  const sent = (n = -1) => JSON.stringify(chat.model.requests.at(n)?.body)
  return { agent, say, sent }
}

describeChat('audio in a chat request', (open) => {
  test('reaches the model in OpenAI’s format, in later turns too', async () => {
    const chat = await open()
    const { say } = await hearing(chat)
    const { chatSessionId } = await answerOf(say(asking(part)))
    const content = [{ type: 'text', text: 'Who speaks?' }, part]
    const read = () => chat.model.requests.at(-1)?.body.messages
    expect(read()).toEqual([{ role: 'user', content }])
    await say({ messages: [{ role: 'user', content: 'Sure?' }], chatSessionId })
    expect(read()).toContainEqual({ role: 'user', content })
  })

  test('is a text in the items of its conversation, which can be sent back', async () => {
    const chat = await open()
    const { agent, say } = await hearing(chat)
    const { chatSessionId } = await answerOf(say(asking(part)))
    const { call, create } = responsesOf({ ...chat, agent, key: agent.key })
    const path = `/conversations/conv_${chatSessionId.replaceAll('-', '')}/items?order=asc`
    const { data } = await bodyOf<{ data: object[] }>(await call('GET', path), 200)
    for (const item of data) expectOfficial('ItemField', item)
    const content = [{ type: 'input_text', text: 'Who speaks?' }]
    expect(data[0]).toMatchObject({ content: [...content, { text: '[Audio]' }] })
    expect((await create({ input: data })).status).toBe('completed')
  })

  test('reaches a model of Google as inline data', async () => {
    const { model } = await open()
    const environment = { GOOGLE_API_KEY: 'k', GOOGLE_BASE_URL: model.origin }
    const chat = await open({ environment, server: model })
    const { say, sent } = await hearing(chat, 'google/gemini-2.5-flash')
    const mp3 = { type: 'input_audio', input_audio: { data, format: 'mp3' } }
    expect((await say(asking(part, mp3))).status).toBe(200)
    expect(sent()).toContain(`{"inlineData":{"mimeType":"audio/wav","data":"${data}"}}`)
    expect(sent()).toContain(`{"inlineData":{"mimeType":"audio/mpeg","data":"${data}"}}`)
  })

  test('is left out when the agent’s model no longer accepts it', async () => {
    const chat = await open()
    const { agent, say, sent } = await hearing(chat)
    const { chatSessionId } = await answerOf(say(asking(part)))
    const { ctx } = chat
    const row = await ctx.db.read
      .selectFrom('agents')
      .select('settings_json')
      .where('id', '=', agent.id)
      .executeTakeFirstOrThrow()
    const settings_json = row.settings_json.replace('openai/gpt-audio', 'openai/gpt-4o')
    await ctx.db.write((tx) =>
      tx.updateTable('agents').set({ settings_json }).where('id', '=', agent.id).execute(),
    )
    const more = { messages: [{ role: 'user', content: 'Sure?' }], chatSessionId }
    expect((await say(more)).status).toBe(200)
    expect(sent()).toContain('Who speaks?')
    expect(sent()).not.toContain(data)
  })

  test('is stored with its session, and erased with it', async () => {
    const chat = await open()
    const { agent, say } = await hearing(chat)
    await say(asking(part), { user: 'ada' })
    const { ctx, owner } = chat
    const stored = async () =>
      JSON.stringify(await ctx.db.read.selectFrom('chat_messages').select('parts_json').execute())
    expect(await stored()).toContain(data)
    const whose = { appId: agent.id, endUser: 'ada' }
    await eraseEndUser(ctx, actorOf(owner), owner.workspaceId, whose)
    expect(await stored()).not.toContain(data)
  })

  test('with `store: false` is not stored', async () => {
    const chat = await open()
    const { say } = await hearing(chat)
    expect((await say(asking(part), { store: false })).status).toBe(200)
    expect(await chat.ctx.db.read.selectFrom('chat_messages').select('id').execute()).toEqual([])
  })

  test('is not sent to a fallback model that does not accept it', async () => {
    const chat = await open({ model: { script: () => ({ reply: '', status: 503 }) } })
    const { agent, say } = await hearing(chat)
    const { ctx } = chat
    const { settings_json } = await ctx.db.read
      .selectFrom('agents')
      .select('settings_json')
      .where('id', '=', agent.id)
      .executeTakeFirstOrThrow()
    const settings = { ...JSON.parse(settings_json), fallback_models: ['openai/gpt-4o'] }
    await ctx.db.write((tx) =>
      tx
        .updateTable('agents')
        .set({ settings_json: JSON.stringify(settings) })
        .where('id', '=', agent.id)
        .execute(),
    )
    expect((await say(asking(part))).status).toBe(502)
    const asked = new Set(chat.model.requests.map(({ body }) => body.model))
    expect(asked).toEqual(new Set(['gpt-audio']))
  })

  describe('is refused', () => {
    test.each(['openai/gpt-4o', 'openai/mock', 'local/extractive'])('by %s', async (model) => {
      const chat = await open()
      const { agent, say } = await hearing(chat, model)
      const response = await say(asking(part))
      const error = `\`messages[0].content[1].input_audio\` is not supported: the model of "${agent.app_name_id}" cannot hear audio`
      expect([response.status, await response.json()]).toEqual([400, { error }])
      expect(chat.model.requests).toEqual([])
    })

    test.each<[string, object, string]>([
      ['in another format', { data, format: 'flac' }, '.format` must be wav or mp3'],
      ['without data', { format: 'wav' }, '.data` must be a string'],
      ['that is not base64', { data: 'data:audio/wav,x', format: 'wav' }, '.data` must be base64'],
      ['that is empty', { data: '', format: 'wav' }, '.data` must be base64'],
    ])('%s', async (_, input_audio, problem) => {
      const chat = await open()
      const { say } = await hearing(chat)
      const response = await say(asking({ type: 'input_audio', input_audio }))
      const error = `\`messages[0].content[1].input_audio${problem}`
      expect([response.status, await response.json()]).toEqual([400, { error }])
    })

    test('in a message that is not a user’s', async () => {
      const { say } = await hearing(await open())
      const messages = [{ role: 'assistant', content: [part] }, ...asking().messages]
      const response = await say({ messages })
      const error = '`messages[0].content[0]` must be in a message of the role user'
      expect([response.status, await response.json()]).toEqual([400, { error }])
    })
  })
})
