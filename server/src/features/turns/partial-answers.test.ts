import pino from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { deleteConversations } from '#features/conversations/index.ts'
import { newId } from '#kernel/ids.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { until } from '#test/support/until.ts'
import { keepTurns, storeStreamed, type KeptTurn } from './partial-store.ts'
import { recoverTurns } from './recover-turns.ts'
import { leaseMs } from './lease-time.ts'

const words = Array.from({ length: 30 }, (_, n) => `word${n} `)

describeChat('an answer that is streamed for longer than a second', (openChat) => {
  let chat: ChatService

  beforeAll(async () => {
    const long = { reply: words, chunkMs: 100 }
    const script = ({ body }: { body: Record<string, unknown> }) =>
      JSON.stringify(body.messages).includes('at length') ? long : { reply: 'Yes.' }
    chat = await openChat({ model: { script } })
  })

  const pieces = async () =>
    await chat.ctx.db.read
      .selectFrom('partial_answers')
      .selectAll()
      .orderBy('message_id')
      .orderBy('starts_at')
      .execute()
  const messagesOf = async (sessionId: string) =>
    await chat.ctx.db.read
      .selectFrom('chat_messages')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('seq')
      .execute()

  /** A session whose turn holds it, and the turn with an empty piece. */
  async function heldSession(leaseUntil: number): Promise<KeptTurn> {
    const { ctx, owner, agent } = chat
    const now = ctx.clock.now()
    const place = { workspaceId: owner.workspaceId, agentId: agent.id }
    const question = { role: 'user', at: now, content: 'Who?' } as const
    const { id } = await storeSession(ctx.db, { ...place, messages: [question] })
    const lease = { lease_token: newId(), lease_until: leaseUntil }
    await ctx.db.write((tx) =>
      tx.updateTable('chat_sessions').set(lease).where('id', '=', id).execute(),
    )
    return {
      message_id: newId(),
      starts_at: 0,
      session_id: id,
      lease_token: lease.lease_token,
      content: '',
      model: 'openai/mock',
      correlation_id: 'c-1',
      first_token_ms: 40,
      begun_at: now,
    }
  }

  /** Stores pieces of a turn, which then does not renew its lease any more. */
  async function abandoned(...contents: readonly string[]): Promise<KeptTurn> {
    const { ctx, advance } = chat
    const turn = await heldSession(ctx.clock.now() + leaseMs)
    let startsAt = 0
    for (const content of contents) {
      const now = ctx.clock.now()
      const piece = { ...turn, starts_at: startsAt, content }
      const kept = await keepTurns(ctx.db, [piece], { now, leaseUntil: now + leaseMs })
      expect([...kept]).toEqual([turn.lease_token])
      startsAt += content.length
    }
    advance(leaseMs)
    return turn
  }

  const closingOf = (turn: KeptTurn, content: string) => ({
    session_id: turn.session_id,
    lease_token: turn.lease_token,
    id: turn.message_id,
    role: 'assistant',
    content,
    parts_json: null,
    calls_json: null,
    model: 'openai/mock',
    prompt_tokens: 1,
    completion_tokens: 2,
    cached_tokens: null,
    reasoning_tokens: null,
    latency_ms: 9_000,
    first_token_ms: 40,
    finish_reason: 'stop',
    error_code: null,
    citations_json: null,
    reasoning: null,
    correlation_id: 'c-1',
    created_at: chat.ctx.clock.now(),
    workspace_id: chat.owner.workspaceId,
    agent_id: chat.agent.id,
    key_id: null,
    end_user: null,
    amount_micros: -3,
    counted_at: chat.ctx.clock.now(),
  })

  test('is stored in pieces while it is written, and its own write deletes them', async () => {
    const response = await chat.say('Tell me at length', { stream: true })
    const whole = response.text()
    await until('two pieces are stored', async () => (await pieces()).length >= 2)
    const stored = await pieces()
    const text = stored.map(({ content }) => content).join('')
    expect(words.join('')).toContain(text)
    expect(text.startsWith('word0 word1 ')).toBe(true)
    await whole
    expect(await pieces()).toEqual([])
    const [first] = stored
    const messages = await messagesOf(first?.session_id ?? '')
    expect(messages).toMatchObject([
      { role: 'user' },
      { id: first?.message_id, content: words.join(''), error_code: null, finish_reason: 'stop' },
    ])
  })

  test('stores nothing of it if it is not streamed, because no client has seen a part', async () => {
    const answer = answerOf(chat.say('Tell me at length'))
    const seen = new Set<number>()
    let isOver = false
    void answer.finally(() => (isOver = true))
    await until('the answer is there', async () => {
      seen.add((await pieces()).length)
      return isOver
    })
    expect([...seen]).toEqual([0])
  })

  test('is the answer of its session, marked as incomplete, once its process has ended', async () => {
    const { ctx } = chat
    const { id: _, ...turn } = { id: null, ...(await abandoned('Ada ', 'Love')) }
    expect(await recoverTurns(ctx)).toBe(1)
    expect(await messagesOf(turn.session_id)).toMatchObject([
      { seq: 1, role: 'user', content: 'Who?' },
      {
        seq: 2,
        id: turn.message_id,
        role: 'assistant',
        content: 'Ada Love',
        error_code: 'interrupted',
        correlation_id: 'c-1',
        first_token_ms: 40,
        prompt_tokens: null,
      },
    ])
    const session = await ctx.db.read
      .selectFrom('chat_sessions')
      .select(['message_count', 'lease_token'])
      .where('id', '=', turn.session_id)
      .executeTakeFirst()
    expect(session).toEqual({ message_count: 2, lease_token: null })
    const entries = await ctx.db.read
      .selectFrom('credit_entries')
      .select('id')
      .where('message_id', '=', turn.message_id)
      .execute()
    expect(entries).toEqual([])
    expect(await pieces()).toEqual([])
    expect(await recoverTurns(ctx)).toBe(0)
  })

  test('is recovered once, by whichever process is first', async () => {
    const turn = await abandoned('Ada')
    const counts = await Promise.all([
      recoverTurns(chat.ctx),
      recoverTurns((await chat.again()).ctx),
      recoverTurns(chat.ctx),
    ])
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(await messagesOf(turn.session_id)).toHaveLength(2)
  })

  test('is recovered even if the one of an earlier session never can be, which is logged once', async () => {
    const { db, clock } = chat.ctx
    const lines: string[] = []
    const ctx = { db, clock, log: pino({}, { write: (line) => void lines.push(line) }) }
    const broken = await abandoned('Bob')
    const turn = await abandoned('Ada')
    expect(broken.session_id < turn.session_id).toBe(true)
    const count = (message_count: number) =>
      db.write((tx) =>
        tx
          .updateTable('chat_sessions')
          .set({ message_count })
          .where('id', '=', broken.session_id)
          .execute(),
      )
    // The number of its answer is then the one of its question.
    await count(0)
    expect(await recoverTurns(ctx)).toBe(1)
    expect(await messagesOf(turn.session_id)).toMatchObject([{}, { content: 'Ada' }])
    expect(await recoverTurns(ctx)).toBe(0)
    expect(lines).toEqual([expect.stringContaining(broken.session_id)])
    await count(1)
    expect(await recoverTurns(ctx)).toBe(1)
    expect(await messagesOf(broken.session_id)).toMatchObject([{}, { content: 'Bob' }])
  })

  test('is recovered if its process was killed while its clock was a day ahead', async () => {
    const { ctx, advance } = chat
    const day = 86_400_000
    advance(day)
    const turn = await abandoned('Ada')
    advance(-day)
    expect(await recoverTurns(ctx)).toBe(1)
    expect(await messagesOf(turn.session_id)).toMatchObject([{}, { content: 'Ada' }])
  })

  test('is left alone while its turn renews the lease', async () => {
    const { ctx } = chat
    const turn = await abandoned('Ada')
    const now = ctx.clock.now()
    await keepTurns(ctx.db, [{ ...turn, starts_at: 3 }], { now, leaseUntil: now + leaseMs })
    expect(await recoverTurns(ctx)).toBe(0)
    expect(await messagesOf(turn.session_id)).toHaveLength(1)
    await storeStreamed(ctx.db, closingOf(turn, 'Ada Lovelace'), false)
    expect(await messagesOf(turn.session_id)).toMatchObject([{}, { content: 'Ada Lovelace' }])
    expect(await pieces()).toEqual([])
  })

  test('comes before the next question of its session, and the model reads it', async () => {
    const turn = await abandoned('Ada ', 'Love')
    const { agent, say, model } = chat
    await say('Go on', { chatSessionId: turn.session_id })
    expect(await messagesOf(turn.session_id)).toMatchObject([
      { content: 'Who?' },
      { content: 'Ada Love', error_code: 'interrupted' },
      { content: 'Go on' },
      { content: 'Yes.', error_code: null },
    ])
    const read = model.requests.at(-1)?.body.messages
    expect(read).toMatchObject([{ content: 'Who?' }, { content: 'Ada Love' }, { content: 'Go on' }])
    expect(agent.id).not.toBe('')
  })

  test.each([false, true])(
    'becomes complete if its process was only slow (credits limited: %s)',
    async (isLimited) => {
      const { ctx } = chat
      const turn = await abandoned('Ada')
      expect(await recoverTurns(ctx)).toBe(1)
      const now = ctx.clock.now()
      const late = [{ ...turn, starts_at: 3, content: ' Love' }]
      expect(await keepTurns(ctx.db, late, { now, leaseUntil: now + leaseMs })).toEqual(new Set())
      await storeStreamed(ctx.db, closingOf(turn, 'Ada Lovelace'), isLimited)
      expect(await messagesOf(turn.session_id)).toMatchObject([
        { content: 'Who?' },
        { content: 'Ada Lovelace', error_code: null, completion_tokens: 2 },
      ])
      expect(await pieces()).toEqual([])
    },
  )

  test('is deleted with its conversation, and stays deleted while the turn runs', async () => {
    const { ctx } = chat
    const turn = await abandoned('Ada')
    await ctx.db.write((tx) => deleteConversations(tx, ctx.db, [turn.session_id]))
    const now = ctx.clock.now()
    const late = [{ ...turn, starts_at: 3, content: ' Love' }]
    expect(await keepTurns(ctx.db, late, { now, leaseUntil: now + leaseMs })).toEqual(new Set())
    expect(await pieces()).toEqual([])
    await ctx.db.write((tx) =>
      tx
        .insertInto('partial_answers')
        .values({ ...turn, content: 'x', stored_at: now })
        .execute(),
    )
    expect(await recoverTurns(ctx)).toBe(0)
    expect(await pieces(), 'pieces of a session that is gone').toEqual([])
  })

  test('is stored with the others in one statement, also if it contains U+0000', async () => {
    const { ctx } = chat
    const now = ctx.clock.now()
    const turns = await Promise.all([1, 2, 3].map(() => heldSession(now + leaseMs)))
    const sent = turns.map((turn, n) => ({ ...turn, content: `“${n}” \uFFFD \u{1F600} "\\` }))
    const kept = await keepTurns(ctx.db, sent, { now, leaseUntil: now + 2 * leaseMs })
    expect(kept).toEqual(new Set(turns.map((turn) => turn.lease_token)))
    const contents = (await pieces()).map(({ content }) => content)
    expect(contents.toSorted()).toEqual(sent.map(({ content }) => content).toSorted())
    chat.advance(leaseMs)
    expect(await recoverTurns(ctx), 'the leases were renewed').toBe(0)
    chat.advance(leaseMs)
    expect(await recoverTurns(ctx)).toBe(3)
  })
})
