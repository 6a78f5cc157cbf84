import { afterEach, expect, test, vi } from 'vitest'
import { newId } from '#kernel/ids.ts'
import { answerOf, describeChat } from '#test/support/chat/chat-service.ts'

const user = (content: string) => ({ role: 'user', content })

afterEach(() => void vi.useRealTimers())

describeChat('sessions', (open) => {
  test('a conversation that a client resends is stored once', async () => {
    const { post, say, agent, model, ctx } = await open({ model: { reply: 'yes' } })
    const { chatSessionId } = await answerOf(say('one'))
    const messages = [user('one'), { role: 'assistant', content: 'yes' }, user('two')]
    await post({ model: agent.app_name_id, messages, chatSessionId })
    expect(model.requests[1]?.body.messages).toEqual(messages)
    const stored = await ctx.db.read
      .selectFrom('chat_messages')
      .select('content')
      .orderBy('seq')
      .execute()
    expect(stored.map((row) => row.content)).toEqual(['one', 'yes', 'two', 'yes'])
  })

  test('a text that the database cannot store unchanged is recognised when it is resent', async () => {
    // U+0000, and half of a surrogate pair: both are stored as U+FFFD.
    const [asked, answered] = ['a\u0000b\ud83d', 'c\u0000d\ude00']
    const { post, say, agent, model, ctx } = await open({ model: { reply: answered } })
    const { chatSessionId } = await answerOf(say(asked))
    const messages = [user(asked), { role: 'assistant', content: answered }, user('two')]
    for (const store of [false, true])
      await post({ model: agent.app_name_id, messages, chatSessionId, store })
    const shown = [user('a\uFFFDb\uFFFD'), { role: 'assistant', content: 'c\uFFFDd\uFFFD' }]
    expect(model.requests.map(({ body }) => body.messages)).toEqual([
      shown.slice(0, 1),
      [...shown, user('two')],
      [...shown, user('two')],
    ])
    const stored = await ctx.db.read
      .selectFrom('chat_messages')
      .select('content')
      .orderBy('seq')
      .execute()
    expect(stored.map((row) => row.content)).toEqual([
      ...shown.map(({ content }) => content),
      'two',
      'c\uFFFDd\uFFFD',
    ])
  })

  test('a well-formed unknown id starts a session with this id', async () => {
    const { say } = await open()
    const chatSessionId = newId()
    expect((await answerOf(say('hello', { chatSessionId }))).chatSessionId).toBe(chatSessionId)
  })

  test('an id of another agent gets 404 and reads nothing', async () => {
    const { say, post, makeAgent, model } = await open()
    const { chatSessionId } = await answerOf(say('a secret'))
    const other = await makeAgent({ name: 'Other' })
    const body = { model: other.app_name_id, messages: [user('what was said?')], chatSessionId }
    const response = await post(body, { authorization: `Bearer ${other.key}` })
    expect(response.status).toBe(404)
    expect(JSON.stringify(await response.json())).not.toContain('secret')
    expect(model.requests).toHaveLength(1)
  })

  test('a malformed id gets 400 and stores nothing', async () => {
    const { say, ctx } = await open()
    const response = await say('hello', { chatSessionId: 'not-a-uuid' })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: '`chatSessionId` must be a UUID' })
    expect(await ctx.db.read.selectFrom('chat_sessions').selectAll().execute()).toEqual([])
  })

  test('every answer names its session in a header', async () => {
    const { say } = await open()
    const response = await say('hello')
    const { chatSessionId } = await answerOf(response)
    expect(response.headers.get('x-chat-session-id')).toBe(chatSessionId)
    const streamed = await say('hello', { stream: true, chatSessionId })
    expect(streamed.headers.get('x-chat-session-id')).toBe(chatSessionId)
    await streamed.text()
  })

  test('store: false stores nothing but reads the session that it names', async () => {
    const { say, ctx, model } = await open()
    const count = async () =>
      (await ctx.db.read.selectFrom('chat_messages').selectAll().execute()).length
    expect((await say('forget this', { store: false })).status).toBe(200)
    expect(await count()).toBe(0)
    const { chatSessionId } = await answerOf(say('remember this'))
    await say('and then?', { store: false, chatSessionId })
    expect(await count()).toBe(2)
    expect(model.requests[2]?.body.messages).toHaveLength(3)
  })

  test('the model gets the newest messages, up to MAX_HISTORY_BYTES beside the largest', async () => {
    const environment = { MAX_HISTORY_BYTES: '2000', MAX_BODY_BYTES: '2000' }
    const { say, model, ctx } = await open({ environment, model: { reply: 'Yes' } })
    const { chatSessionId } = await answerOf(say('a'.repeat(1400)))
    await say('b'.repeat(1400), { chatSessionId })
    await say('c'.repeat(1400), { chatSessionId })
    await say('d'.repeat(1400), { chatSessionId })
    expect(model.requests[3]?.body.messages).toMatchObject(
      ['Yes', 'b', 'Yes', 'c', 'Yes', 'd'].map((content) => ({
        content: content === 'Yes' ? content : content.repeat(1400),
      })),
    )
    const rows = await ctx.db.read.selectFrom('chat_messages').select('seq').execute()
    expect(rows).toHaveLength(8)
  })

  test('turns of one session are answered one after another, in their order of arrival', async () => {
    const script = (_: unknown, n: number) => ({ reply: 'ok', firstByteMs: n === 0 ? 1_000 : 1 })
    const { say, model, ctx } = await open({ model: { script } })
    const chatSessionId = newId()
    const first = say('0', { chatSessionId })
    await model.request(0)
    const rest = []
    for (const word of ['1', '2', '3']) {
      rest.push(say(word, { chatSessionId }))
      await ticketsAre(ctx, rest.length)
    }
    const statuses = (await Promise.all([first, ...rest])).map((response) => response.status)
    expect(statuses).toEqual([200, 200, 200, 200])
    const stored = await ctx.db.read
      .selectFrom('chat_messages')
      .select('content')
      .orderBy('seq')
      .execute()
    expect(stored.map((row) => row.content)).toEqual(['0', 'ok', '1', 'ok', '2', 'ok', '3', 'ok'])
    expect(await ctx.db.read.selectFrom('session_waiters').selectAll().execute()).toEqual([])
  })

  test('of twenty concurrent turns of one new session none is lost, and each question is followed by its answer', async () => {
    const { say, ctx } = await open({ environment: { SESSION_QUEUE_LIMIT: '20' } })
    const chatSessionId = newId()
    const turns = Array.from({ length: 20 }, (_, index) => say(`q${index}`, { chatSessionId }))
    const statuses = new Set((await Promise.all(turns)).map((response) => response.status))
    expect(statuses).toEqual(new Set([200]))
    const stored = await ctx.db.read
      .selectFrom('chat_messages')
      .select(['seq', 'role'])
      .orderBy('seq')
      .execute()
    expect(stored.map((row) => row.seq)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    )
    expect(stored.map((row) => row.role)).toEqual(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
    )
  })

  test('turns of one session are serialised across processes', async () => {
    const service = await open({ model: { script: () => ({ reply: 'ok', firstByteMs: 100 }) } })
    const other = await service.again()
    const { startTurn, authenticateCaller } = await import('#features/turns/index.ts')
    const caller = await authenticateCaller(other.ctx, service.key)
    const sessionId = newId()
    const here = service.say('here', { chatSessionId: sessionId })
    await service.model.request(0)
    const turn = startTurn(
      other.ctx,
      {
        agent: caller.agent!,
        source: 'api',
        sessionId,
        messages: [{ role: 'user', content: 'there' }],
        store: true,
        stream: false,
        endUser: null,
        correlationId: null,
      },
      new AbortController().signal,
    )
    await here
    await (await turn).answer()
    const stored = await service.ctx.db.read
      .selectFrom('chat_messages')
      .select('content')
      .orderBy('seq')
      .execute()
    expect(stored.map((row) => row.content)).toEqual(['here', 'ok', 'there', 'ok'])
  })

  test('beyond SESSION_QUEUE_LIMIT the next turn gets 409', async () => {
    const service = await open({
      model: { script: () => ({ reply: 'ok', firstByteMs: 400 }) },
      environment: { SESSION_QUEUE_LIMIT: '1' },
    })
    const { say, ctx } = service
    const chatSessionId = newId()
    const first = say('0', { chatSessionId })
    await service.model.request(0)
    const second = say('1', { chatSessionId })
    await ticketsAre(ctx, 1)
    expect((await say('2', { chatSessionId })).status).toBe(409)
    expect((await first).status).toBe(200)
    expect((await second).status).toBe(200)
  })

  test('the lease of a dead process expires after five seconds', async () => {
    const { say, ctx, advance } = await open()
    const { chatSessionId } = await answerOf(say('one'))
    const until = ctx.clock.now() + 5_000
    await ctx.db.write((tx) =>
      tx.updateTable('chat_sessions').set({ lease_token: 'dead', lease_until: until }).execute(),
    )
    const waiting = say('two', { chatSessionId })
    await ticketsAre(ctx, 1)
    advance(5_000)
    expect((await waiting).status).toBe(200)
  })

  test('a process that was killed while its clock was a day ahead holds no session', async () => {
    const { say, ctx } = await open()
    const { chatSessionId } = await answerOf(say('one'))
    const until = ctx.clock.now() + 86_400_000
    await ctx.db.write(async (tx) => {
      const lease = { lease_token: 'dead', lease_until: until }
      await tx.updateTable('chat_sessions').set(lease).execute()
      const ticket = { ticket: '0', session_id: chatSessionId, expires_at: until }
      await tx.insertInto('session_waiters').values(ticket).execute()
    })
    expect((await say('two', { chatSessionId })).status).toBe(200)
  })

  test('a turn that takes longer renews its lease', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const script = (_: unknown, n: number) => ({ reply: 'ok', firstByteMs: n === 0 ? 60_000 : 0 })
    const { ctx, say, key, app, agent, model, advance } = await open({ model: { script } })
    const chatSessionId = newId()
    const caller = new AbortController()
    const body = { model: agent.app_name_id, messages: [user('long')], chatSessionId }
    const long = app.request('/api/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: caller.signal,
    })
    await model.request(0)
    const leaseUntil = async () => {
      const rows = ctx.db.read.selectFrom('chat_sessions').select('lease_until')
      return (await rows.executeTakeFirstOrThrow()).lease_until
    }
    for (let round = 0; round < 3; round += 1) {
      advance(4_000)
      vi.advanceTimersByTime(1_000)
      await expect.poll(leaseUntil).toBe(ctx.clock.now() + 5_000)
    }
    const next = say('next', { chatSessionId })
    await ticketsAre(ctx, 1)
    expect(model.requests).toHaveLength(1)
    caller.abort()
    expect((await long).status).toBe(503)
    expect((await next).status).toBe(200)
  })

  test('a message with several text parts is stored as one text', async () => {
    const { post, agent, ctx } = await open()
    const content = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]
    await post({ model: agent.app_name_id, messages: [{ role: 'user', content }] })
    const [first] = await ctx.db.read
      .selectFrom('chat_messages')
      .selectAll()
      .orderBy('seq')
      .execute()
    expect(first).toMatchObject({ content: 'one\ntwo', parts_json: null })
  })

  async function ticketsAre(ctx: Awaited<ReturnType<typeof open>>['ctx'], count: number) {
    await expect
      .poll(
        async () => (await ctx.db.read.selectFrom('session_waiters').selectAll().execute()).length,
      )
      .toBe(count)
  }
})
