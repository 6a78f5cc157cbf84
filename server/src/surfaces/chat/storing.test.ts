import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { setCreditCap, setPrice } from '#features/credits/index.ts'
import { newId } from '#kernel/ids.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { price } from '#test/support/chat/long-sessions.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'

describeChat('storing', (open) => {
  test.each([
    ['is streamed for an end user', { stream: true, user: 'ada' }],
    ['is streamed in a session that the caller names', { stream: true, chatSessionId: newId() }],
    ['is of a session that the caller names', { chatSessionId: newId() }],
    ['is for an end user, whose erasure must find it', { user: 'ada' }],
  ])(
    'the user is stored before the model is called if the answer %s, the answer after it',
    async (_, fields) => {
      const service = await open({ model: { script: () => ({ reply: 'late', firstByteMs: 200 }) } })
      const { say, model, ctx } = service
      const answer = say('are you there?', fields)
      await model.request(0)
      expect(await storedRoles(ctx)).toEqual(['user'])
      await (await answer).text()
      expect(await storedRoles(ctx)).toEqual(['user', 'assistant'])
    },
  )

  test.each([{}, { previous: true }])(
    'a stream whose response cannot be stored leaves no turn behind (%j)',
    async ({ previous = false }) => {
      const service = await open()
      const { ctx, owner, say } = service
      const cap = { subject: 'workspace', subjectId: '', period: 'day', amountMicros: 1e9 } as const
      await setPrice(ctx, owner.userId, { pattern: 'openai/*', price: price(1) })
      await setCreditCap(ctx, owner, cap)
      const { create, post } = responsesOf(service)
      const first = await create({ input: 'one' })
      const rename = (from: string, to: string) =>
        ctx.db.write((tx) => tx.schema.alterTable(from).renameTo(to).execute())
      const more = previous ? { conversation: first.conversation?.id } : {}
      const before = await storedRoles(ctx)
      await rename('chat_responses', 'lost_responses')
      const failed = await post({ input: 'two', stream: true, ...more })
      expect(failed.status).toBe(500)
      await rename('lost_responses', 'chat_responses')
      expect(await storedRoles(ctx)).toEqual(before)
      const { read } = ctx.db
      const held = read
        .selectFrom('chat_sessions')
        .select('id')
        .where('lease_token', 'is not', null)
      expect(await held.execute()).toEqual([])
      expect(await read.selectFrom('credit_reservations').selectAll().execute()).toEqual([])
      expect((await say('again')).status).toBe(200)
    },
  )

  test('the model answers a stream while its new session is stored, and the caller sees nothing before', async () => {
    const { say, model, ctx } = await open()
    const sessions = await holdSessions(ctx)
    const answer = say('are you there?', { stream: true })
    const first = Promise.race([
      answer.then(() => 'an answer'),
      model.request(0).then(() => 'asked'),
    ])
    expect(await first).toBe('asked')
    const soon = setTimeout(200).then(() => 'nothing')
    expect(await Promise.race([answer.then(() => 'an answer'), soon])).toBe('nothing')
    await sessions.release()
    expect((await answer).status).toBe(200)
    expect(await storedRoles(ctx)).toContain('user')
    expect(await (await answer).text()).toContain('[DONE]')
    expect(await storedRoles(ctx)).toEqual(['user', 'assistant'])
  })

  test('a stream whose new session cannot be stored is an error, and the next one is answered', async () => {
    const { say, model, ctx } = await open()
    const rename = (from: string, to: string) =>
      ctx.db.write((tx) => tx.schema.alterTable(from).renameTo(to).execute())
    await rename('chat_sessions', 'lost_sessions')
    const failed = await say('are you there?', { stream: true })
    expect(failed.status).toBe(500)
    expect(failed.headers.get('content-type')).toContain('application/json')
    await rename('lost_sessions', 'chat_sessions')
    expect(await storedRoles(ctx)).toEqual([])
    const next = await say('and now?', { stream: true })
    expect(await next.text()).toContain('[DONE]')
    expect(await storedRoles(ctx)).toEqual(['user', 'assistant'])
    expect(model.requests).toHaveLength(2)
  })

  test('a new session is stored with its whole answer, or a second earlier than a later one', async () => {
    const script = (_: unknown, n: number) => ({ reply: 'ok', firstByteMs: n === 0 ? 100 : 2_500 })
    const { say, model, ctx } = await open({ model: { script } })
    const soon = say('soon')
    await model.request(0)
    expect(await storedRoles(ctx)).toEqual([])
    const { chatSessionId } = await answerOf(soon)
    expect(await storedRoles(ctx)).toEqual(['user', 'assistant'])
    const late = say('late')
    await expect.poll(() => storedRoles(ctx), { timeout: 2_000 }).toHaveLength(3)
    const [held] = await ctx.db.read
      .selectFrom('chat_sessions')
      .select(['id', 'lease_token', 'message_count'])
      .where('id', '!=', chatSessionId)
      .execute()
    expect(held).toEqual({ id: held?.id, lease_token: expect.any(String), message_count: 1 })
    expect((await answerOf(late)).chatSessionId).toBe(held?.id)
    const sessions = await ctx.db.read
      .selectFrom('chat_sessions')
      .select(['lease_token', 'lease_until', 'message_count'])
      .execute()
    const free = { lease_token: null, lease_until: 0, message_count: 2 }
    expect(sessions).toEqual([free, free])
  })
})

/** No session can be stored until `release`. */
async function holdSessions({ db }: Pick<ChatService['ctx'], 'db'>) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const unit = db.write(async (tx) => {
    if (db.engine === 'postgres')
      await sql`lock table chat_sessions in share row exclusive mode`.execute(tx)
    held.resolve()
    await released.promise
  })
  await held.promise
  return {
    async release() {
      released.resolve()
      await unit
    },
  }
}

async function storedRoles({ db }: Pick<ChatService['ctx'], 'db'>): Promise<string[]> {
  const rows = await db.read.selectFrom('chat_messages').select('role').orderBy('seq').execute()
  return rows.map((row) => row.role)
}
