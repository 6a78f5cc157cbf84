import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import {
  answerOf,
  describeChat,
  readFrames,
  type ChatService,
} from '#test/support/chat/chat-service.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

const never = { reply: 'never said', firstByteMs: 60_000 }

describeChat('a caller that disconnects', (open) => {
  test('while the request is still being sent leaves nothing behind', async () => {
    const service = await open()
    const call = await begin(service)
    call.write('{"model":"')
    await sleep(50)
    call.destroy()
    expect((await answerOf(service.say('next'))).choices).toHaveLength(1)
    expect(await stored(service)).toHaveLength(2)
    expect(service.model.requests).toHaveLength(1)
  })

  test('while waiting for the session leaves the queue without an answer', async () => {
    const script = (_: unknown, n: number): ModelScript => (n === 0 ? never : { reply: 'ok' })
    const service = await open({ model: { script } })
    const chatSessionId = newId()
    const first = await ask(service, { content: 'first', chatSessionId })
    await service.model.request(0)
    const second = await ask(service, { content: 'second', chatSessionId })
    await expect.poll(() => waiting(service)).toBe(1)
    second.destroy()
    await expect.poll(() => waiting(service)).toBe(0)
    first.destroy()
    await answerOf(service.say('third', { chatSessionId }))
    const contents = (await stored(service)).map(({ content }) => content)
    expect(contents).toEqual(['first', '', 'third', 'ok'])
  })

  test.each([false, true])(
    'before the first word aborts the model call and frees the session (stream: %s)',
    async (stream) => {
      const script = (_: unknown, n: number): ModelScript => (n === 0 ? never : { reply: 'ok' })
      const service = await open({ model: { script } })
      const chatSessionId = newId()
      const call = await ask(service, { content: 'one', chatSessionId, stream })
      const { aborted } = await service.model.request(0)
      call.destroy()
      await aborted
      await answerOf(service.say('two', { chatSessionId }))
      expect(await stored(service)).toMatchObject([
        { content: 'one' },
        { content: '', error_code: 'turn_aborted' },
        { content: 'two' },
        { content: 'ok', error_code: null },
      ])
    },
  )

  test('while reading nothing aborts the model call, and the partial answer is stored', async () => {
    const reply = Array.from({ length: 4_000 }, () => 'word '.repeat(3_277))
    const environment = { MODEL_ANSWER_CHARACTERS: '100000000' }
    const service = await open({ model: { reply }, environment })
    const call = await ask(service, { content: 'much', stream: true })
    // An event's arguments are of no type: this one has the response.
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    response.pause()
    const { aborted } = await service.model.request(0)
    await sleep(300)
    call.destroy()
    await aborted
    const answer = async () => (await stored(service))[1]
    await expect.poll(answer, { timeout: 5_000 }).toMatchObject({ error_code: 'turn_aborted' })
    expect((await answer())?.content).toMatch(/^(?:word ){3277}/)
  })

  test('ends the turn of a client that reads nothing for too long, not of a slow one', async () => {
    const reply = Array.from({ length: 2_000 }, () => 'word '.repeat(3_277))
    const environment = {
      STALLED_READER_TIMEOUT_MS: '2000',
      MODEL_ANSWER_CHARACTERS: '100000000',
    }
    const service = await open({ model: { reply }, environment })
    const read = async (content: string) => {
      const call = await ask(service, { content, stream: true })
      const [response] = (await once(call, 'response')) as [IncomingMessage]
      response.on('error', () => undefined) // It is cut off.
      return response
    }
    const slow = readSlowly(await read('slow'))
    const stalled = await read('stalled')
    stalled.pause()
    const { aborted } = await service.model.request(1)
    await aborted
    await slow
    const answers = async () =>
      (await stored(service))
        .filter(({ content }) => !content.startsWith('s'))
        .map((row) => row.error_code)
    await expect
      .poll(answers, { timeout: 5_000 })
      .toEqual(expect.arrayContaining(['turn_aborted', null]))
  })
})

describeChat('the reason why a model ended', (open) => {
  test.each(['length', 'content_filter'] as const)(
    'is returned and stored: %s',
    async (finishReason) => {
      const service = await open({ model: { script: () => ({ reply: 'Half', finishReason }) } })
      const answer = await answerOf(service.say('hi'))
      expect(answer.choices).toEqual([
        { index: 0, message: { role: 'assistant', content: 'Half' }, finish_reason: finishReason },
      ])
      const frames = await readFrames(await service.say('hi', { stream: true }))
      expect(frames.at(-2)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: finishReason }])
      const rows = await stored(service)
      expect(rows.filter(({ finish_reason }) => finish_reason === finishReason)).toHaveLength(2)
    },
  )
})

/** A request without its body yet. */
async function begin({ key, listen }: ChatService): Promise<ClientRequest> {
  const call = request(`${await listen()}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  call.on('error', () => undefined) // Hanging up is what the tests do.
  return call
}

async function ask(
  service: ChatService,
  { content, ...more }: { content: string; chatSessionId?: string; stream?: boolean },
): Promise<ClientRequest> {
  const call = await begin(service)
  const messages = [{ role: 'user', content }]
  call.end(JSON.stringify({ model: service.agent.app_name_id, messages, ...more }))
  return call
}

/** With pauses of a quarter of a second, about four seconds in all for 32 MB. */
async function readSlowly(response: IncomingMessage): Promise<void> {
  let unread = 0
  for await (const chunk of response) {
    unread += Buffer.byteLength(chunk)
    if (unread < 2 * 1024 * 1024) continue
    unread = 0
    await sleep(250)
  }
}

async function stored({ ctx }: ChatService) {
  return await ctx.db.read
    .selectFrom('chat_messages')
    .select(['content', 'error_code', 'finish_reason'])
    .orderBy('created_at')
    .orderBy('seq')
    .execute()
}

async function waiting({ ctx }: ChatService): Promise<number> {
  return (await ctx.db.read.selectFrom('session_waiters').select('ticket').execute()).length
}
