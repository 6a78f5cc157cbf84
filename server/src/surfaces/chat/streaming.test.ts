import { request } from 'node:http'
import { expect, test } from 'vitest'
import {
  answerOf,
  describeChat,
  readFrames,
  type ChatService,
} from '#test/support/chat/chat-service.ts'
import { startMisbehavingModelServer } from '#test/support/servers/misbehaving-model-server.ts'

describeChat('streaming', (open) => {
  const words = ['Hel', 'lo ', 'wörld']

  test('chunks come in OpenAI’s order and share id, created, model and session', async () => {
    const { say, agent } = await open({ model: { reply: words } })
    const frames = await readFrames(await say('hi', { stream: true }))
    const chunks = frames.slice(0, -1)
    expect(frames.at(-1)).toEqual({ done: true })
    const [first] = chunks
    for (const chunk of chunks)
      expect(chunk).toMatchObject({
        id: first?.id,
        object: 'chat.completion.chunk',
        created: first?.created,
        model: agent.app_name_id,
        chatSessionId: first?.chatSessionId,
      })
    expect(chunks.map((chunk) => chunk.choices)).toEqual([
      [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      ...words.map((content) => [{ index: 0, delta: { content }, finish_reason: null }]),
      [{ index: 0, delta: {}, finish_reason: 'stop' }],
    ])
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true)
  })

  test('a usage chunk is sent only on request; the other chunks then have null', async () => {
    const { say } = await open({ model: { reply: words } })
    const more = { stream: true, stream_options: { include_usage: true } }
    const frames = await readFrames(await say('hi', more))
    const usages = frames.slice(0, -1).map((chunk) => chunk.usage)
    expect(usages.at(-1)).toEqual({ prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 })
    expect(frames.at(-2)?.choices).toEqual([])
    expect(new Set(usages.slice(0, -1))).toEqual(new Set([null]))
  })

  test('the headers stop proxies from buffering', async () => {
    const { say } = await open()
    const { headers } = await say('hi', { stream: true })
    expect(headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('content-encoding')).toBeNull()
  })

  test('finish_reason, usage and [DONE] are written after the commit', async () => {
    const { say, ctx } = await open({ model: { reply: words } })
    const response = await say('hi', { stream: true })
    const decoder = new TextDecoder()
    for await (const packet of response.body ?? [])
      if (decoder.decode(packet).includes('"finish_reason":"stop"')) {
        const rows = await ctx.db.read
          .selectFrom('chat_messages')
          .select('content')
          .orderBy('seq')
          .execute()
        expect(rows.at(-1)?.content).toBe('Hello wörld')
        return
      }
    expect.unreachable('the stream had no finish_reason')
  })

  test('an error before the first word is an HTTP error, also for a stream', async () => {
    const { post, agent, say } = await open({
      server: await startMisbehavingModelServer('answers 429 in seconds'),
    })
    const body = { model: 'nobody-1', messages: [{ role: 'user', content: 'x' }], stream: true }
    expect((await post(body)).status).toBe(404)
    expect((await post({ ...body, model: agent.app_name_id, messages: [] })).status).toBe(400)
    const limited = await say('hi', { stream: true })
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('a failure in mid-stream ends it with one error frame, and the partial answer is stored and marked', async () => {
    const { say, ctx } = await open({
      server: await startMisbehavingModelServer('cuts mid-stream'),
    })
    const frames = await readFrames(await say('hi', { stream: true }))
    expect(frames.at(-1)).toEqual({ error: { message: expect.any(String) } })
    expect(frames.filter((frame) => 'error' in frame)).toHaveLength(1)
    const rows = await ctx.db.read.selectFrom('chat_messages').selectAll().orderBy('seq').execute()
    expect(rows.at(-1)).toMatchObject({ role: 'assistant', error_code: 'model_bad_answer' })
    expect(rows.at(-1)?.content).not.toBe('')
  })

  for (const stream of [true, false])
    test(`a disconnecting caller ${stream ? 'mid-stream' : 'on a whole answer'} aborts the model call and keeps the partial`, async () => {
      const slow = {
        reply: Array.from({ length: 200 }, () => 'word '),
        chunkMs: 20,
        firstByteMs: 30,
      }
      const whole = { reply: 'never read', firstByteMs: 5_000 }
      const service = await open({ model: { script: () => (stream ? slow : whole) } })
      const hangUp = await call(service, stream)
      const asked = await service.model.request(0)
      await new Promise((resolve) => setTimeout(resolve, 120))
      const startedAt = performance.now()
      hangUp()
      await asked.aborted
      expect(performance.now() - startedAt).toBeLessThan(1_000)
      const last = async () => {
        const rows = await service.ctx.db.read
          .selectFrom('chat_messages')
          .selectAll()
          .orderBy('seq')
          .execute()
        return rows.at(-1)
      }
      await expect.poll(last).toMatchObject({ role: 'assistant', error_code: 'turn_aborted' })
      if (stream) expect((await last())?.content).toContain('word ')
      const session = await service.ctx.db.read
        .selectFrom('chat_sessions')
        .selectAll()
        .executeTakeFirstOrThrow()
      expect(session.lease_token).toBeNull()
    })

  test('a slow reader slows the model down instead of filling memory', async () => {
    const chunk = 'x'.repeat(16_384)
    const service = await open({
      model: { reply: Array.from({ length: 2_000 }, () => chunk), record: false },
      environment: { MODEL_ANSWER_CHARACTERS: '100000000' },
    })
    const base = await service.listen()
    const before = process.memoryUsage.rss()
    const received = await readSlowly(service, base)
    expect(received).toBeGreaterThan(32_000_000)
    expect(process.memoryUsage.rss() - before).toBeLessThan(400_000_000)
  })

  test('an answer that a client reads with fetch over a real connection is whole', async () => {
    const { listen, agent, key } = await open({ model: { reply: words } })
    const response = await fetch(`${await listen()}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: agent.app_name_id,
        stream: true,
        messages: [{ role: 'user', content: 'x' }],
      }),
    })
    expect(response.headers.get('x-chat-session-id')).toBeTruthy()
    expect(response.headers.get('x-correlation-id')).toBeTruthy()
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect((await readFrames(response)).at(-1)).toEqual({ done: true })
  })

  test('an answer of a session that streams is loaded by the next turn', async () => {
    const { say, model } = await open({ model: { reply: words } })
    const response = await say('hi', { stream: true })
    const chatSessionId = response.headers.get('x-chat-session-id')
    await response.text()
    await answerOf(say('and?', { chatSessionId }))
    expect(model.requests[1]?.body.messages).toContainEqual({
      role: 'assistant',
      content: 'Hello wörld',
    })
  })
})

/** Sends a chat request over a real connection. @returns a function that disconnects */
async function call(service: ChatService, stream: boolean): Promise<() => void> {
  const { agent, key } = service
  const outgoing = request(`${await service.listen()}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  outgoing.on('response', (response) => response.resume())
  outgoing.on('error', () => undefined) // Hanging up is what the test does.
  const messages = [{ role: 'user', content: 'hi' }]
  outgoing.end(JSON.stringify({ model: agent.app_name_id, stream, messages }))
  return () => outgoing.destroy()
}

async function readSlowly({ agent, key }: ChatService, base: string): Promise<number> {
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: agent.app_name_id,
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    }),
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  let received = 0
  for await (const packet of response.body ?? []) received += packet.length
  return received
}
