import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { setCreditCap, setPrice } from '#features/credits/index.ts'
import { answerOf, type ChatService, describeChat } from '#test/support/chat/chat-service.ts'
import type { RecordedRequest } from '#test/support/servers/model-server.ts'
import { bodyOf, responsesOf } from '#test/support/chat/open-responses.ts'
import {
  lastTurn,
  messagesOf,
  noted,
  openWith,
  price,
  remembering,
  runnerOf,
  stored,
  summaries,
  talk,
  words,
} from '#test/support/chat/long-sessions.ts'

describeChat('the bounds of memory', (open) => {
  test('a slow model of summaries delays no turn, even if only one call is made at once', async () => {
    const slow = () => ({ ...noted, firstByteMs: 60_000 })
    const chat = await openWith(open, remembering, slow, {
      MODEL_CALLS_AT_ONCE: '1',
      MODEL_CALLS_WAITING: '0',
    })
    const id = await talk(chat, 11)
    const runner = runnerOf(chat)
    await runner.start()
    const asked = await chat.model.request(11)
    await talk(chat, 3, { id, from: 11 })
    expect(chat.model.requests).toHaveLength(11 + 1 + 3)
    // Until there is one, the newest messages are sent, as without memory.
    expect(lastTurn(chat)).toHaveLength(21)
    await runner.stop()
    await asked.aborted
    expect(await stored(chat)).toEqual([])
  })

  test('credits that are used up end summaries, and no turn', async () => {
    const chat = await openWith(open)
    const { ctx, owner } = chat
    await setPrice(ctx, owner.userId, { pattern: 'openai/cheap', price: price(1000) })
    const cap = { subject: 'workspace', subjectId: '', period: 'day', amountMicros: 10 } as const
    await setCreditCap(ctx, owner, cap)
    const id = await talk(chat, 11)
    await runnerOf(chat).runDue()
    await talk(chat, 1, { id })
    expect(summaries(chat)).toEqual([])
    expect(await ctx.db.read.selectFrom('credit_reservations').selectAll().execute()).toEqual([])
    const jobs = ctx.db.read.selectFrom('jobs').select('status')
    expect(await jobs.where('kind', '=', 'turns.summarize').execute()).toMatchObject([
      { status: 'done' },
      { status: 'queued' },
    ])
  })

  test('a model that fails is replaced by a fallback model, or the summary is left out', async () => {
    let isDown = false
    const script = ({ body }: RecordedRequest) =>
      isDown || body.model === 'cheap' ? { reply: '', status: 500 } : noted
    const settings = { ...remembering, fallback_models: ['local/extractive', 'openai/second'] }
    const chat = await openWith(open, settings, script)
    const id = await talk(chat, 11)
    await runnerOf(chat).runDue()
    expect(await stored(chat)).toMatchObject([{ model: 'openai/second' }])
    isDown = true
    await talk(chat, 6, { id })
    await runnerOf(chat).runDue()
    expect(await answerOf(chat.say('?', { chatSessionId: id }))).toMatchObject({
      choices: [{ message: { content: 'ok' } }],
    })
    expect(lastTurn(chat)[0]?.content).toContain('Ada likes tea.')
  })

  test('what one call reads and what the first summary covers is bounded', async () => {
    const chat = await openWith(open, remembering, () => noted, {
      SUMMARY_INPUT_BYTES: '1000',
      SUMMARY_MAX_MESSAGES: '8',
      MAX_HISTORY_MESSAGES: '8',
    })
    const items = Array.from({ length: 20 }, (_, n) => ({
      role: 'user',
      content: `word${n} ${'x'.repeat(n === 11 ? 9_000 : 380)}`,
    }))
    const { call } = responsesOf(chat)
    const { id } = await bodyOf<{ id: string }>(
      await call('POST', '/conversations', { items }),
      200,
    )
    await responsesOf(chat).create({ input: 'go on', conversation: id })
    await runnerOf(chat).runDue()
    const read = summaries(chat).map((request) => JSON.parse(messagesOf(request)[1]!.content))
    const texts: string[] = read.flatMap(({ messages }) =>
      messages.map(({ text }: { text: string }) => text),
    )
    expect(texts.map((text) => text.split(' ')[0])).toEqual(words(20).slice(10, 14))
    expect(read.every(({ messages }) => messages.length <= 2)).toBe(true)
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(4_010)
  })

  test('a workspace with many long sessions leaves half of the summaries to another one', async () => {
    const slow = ({ body }: RecordedRequest) =>
      body.model === 'cheap' ? { ...noted, firstByteMs: 60_000 } : noted
    const chat = await openWith(open, remembering, slow, { MAX_HISTORY_MESSAGES: '2' })
    for (let n = 0; n < 6; n += 1) await talk(chat, 2)
    const runner = runnerOf(chat, 2)
    await runner.start()
    await expect.poll(() => summaries(chat).length, { timeout: 10_000 }).toBe(2)
    const owner = await chat.person({ plan: 'builder' })
    const { key, ...agent } = await chat.makeAgent({ owner })
    await updateAgent(chat.ctx, owner, agent.id, { memory: 'summary' })
    const say: ChatService['say'] = (content, more = {}) =>
      chat.post(
        { model: agent.app_name_id, messages: [{ role: 'user', content }], ...more },
        { authorization: `Bearer ${key}` },
      )
    await talk({ say }, 2)
    await expect
      .poll(() => stored(chat), { timeout: 10_000 })
      .toMatchObject([{ agent_id: agent.id }])
    await runner.stop()
  })

  test('its model must be known', async () => {
    const { ctx, owner, agent } = await open()
    const change = updateAgent(ctx, owner, agent.id, { memory_model: 'nowhere/model' })
    await expect(change).rejects.toMatchObject({ code: 'model_unknown' })
  })
})
