import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { sessionOfId, takeLease } from './claim-store.ts'
import { listMessageRows } from '#features/conversations/reading-store.ts'
import type { MessageRow, SessionRow } from './turn-columns.ts'
import { storeStreamed } from './partial-store.ts'
import { storeClosing, storeOpening } from './turn-store.ts'
import { storeWhole } from './whole-turn-store.ts'

const now = 1_790_000_000_000

const session = (id: string, messages: number): SessionRow => ({
  id,
  workspace_id: 'w',
  agent_id: 'a',
  agent_version: 1,
  source: 'api',
  end_user: null,
  created_at: now,
  last_message_at: now,
  message_count: messages,
  lease_token: 'ours',
  lease_until: now + 15_000,
})

const message = (sessionId: string, seq: number, role = 'user'): MessageRow => ({
  session_id: sessionId,
  seq,
  id: `${sessionId}-${role}-${seq}`,
  role,
  content: `message ${seq}`,
  parts_json: null,
  calls_json: null,
  model: null,
  prompt_tokens: null,
  completion_tokens: null,
  cached_tokens: null,
  reasoning_tokens: null,
  latency_ms: null,
  first_token_ms: null,
  finish_reason: null,
  error_code: null,
  citations_json: null,
  reasoning: null,
  correlation_id: null,
  created_at: now,
})

const charge = {
  workspace_id: 'w',
  agent_id: 'a',
  key_id: null,
  end_user: null,
  amount_micros: -7,
  counted_at: now - 1,
}

describeEngines('storing a turn', (engine) => {
  const open = (id: string, count: number) =>
    storeOpening(
      engine.database(),
      session(id, count),
      Array.from({ length: count }, (_, index) => message(id, index + 1)),
    )
  const close = (id: string, token: string, isLimited = false) => {
    const { seq: _, ...answer } = message(id, 0, 'assistant')
    const closing = { ...answer, ...charge, id: `answer of ${id}, ${token}`, lease_token: token }
    return storeClosing(engine.database(), { ...closing, created_at: now + 9 }, isLimited)
  }
  const entriesOf = async (id: string) =>
    await engine
      .database()
      .read.selectFrom('credit_entries')
      .select(['id', 'message_id', 'kind', 'amount_micros', 'counted_at', 'created_at'])
      .where('session_id', '=', id)
      .orderBy('id')
      .execute()
  const lease = async (id: string) =>
    (await engine.database().prepared(sessionOfId).read({ id }))[0]
  const roles = async (id: string) => {
    const rows = await listMessageRows(engine.database().read, id, { limit: 999, after: -1 })
    return rows.map(({ seq, role }) => `${seq} ${role}`)
  }

  test.each([0, 1, 3, 16, 17, 400])(
    'an opening of %i messages is stored in order',
    async (count) => {
      const id = `opening ${count}`
      await open(id, count)
      const expected = Array.from({ length: count }, (_, index) => `${index + 1} user`)
      expect(await roles(id)).toEqual(expected)
    },
  )

  test.each([1, 16, 17, 40])(
    'a session of %i messages and its answer are one write',
    async (count) => {
      for (const isLimited of [false, true]) {
        const id = `whole of ${count} ${isLimited}`
        const messages = Array.from({ length: count }, (_, index) => message(id, index + 1))
        const { seq: _, ...answer } = message(id, 0, 'assistant')
        const said = { ...answer, ...charge, id: `answer of ${id}`, model: 'openai/mock' }
        const closing = { ...said, lease_token: 'ours', created_at: now + 9 }
        const opening = { session: session(id, count), messages }
        await storeWhole(engine.database(), opening, closing, isLimited)
        const users = Array.from({ length: count }, (_, index) => `${index + 1} user`)
        expect(await roles(id)).toEqual([...users, `${count + 1} assistant`])
        const free = { lease_token: null, lease_until: 0, message_count: count + 1 }
        expect(await lease(id)).toMatchObject(free)
        // Without the id of its message, which is the entry's own (decision 74).
        const booked = { message_id: null, kind: 'turn', amount_micros: -7 }
        const moments = { counted_at: now - 1, created_at: now + 9 }
        expect(await entriesOf(id)).toEqual([{ id: said.id, ...booked, ...moments }])
        // A second attempt, after a lost connection, stores nothing twice.
        await expect(storeWhole(engine.database(), opening, closing, isLimited)).rejects.toThrow()
        expect(await entriesOf(id)).toHaveLength(1)
      }
    },
  )

  test.each([
    {},
    { model: 'openai/mock' },
    { model: 'openai/mock', citations_json: '[]' },
    { model: 'openai/mock', citations_json: '[{}]' },
    { model: 'openai/mock', error_code: 'internal', citations_json: '[]' },
    { error_code: 'internal' },
    { model: 'm'.repeat(500) },
    { model: 'm'.repeat(501), citations_json: '[]' },
  ])('what lists filter by is the same, however the turn is stored: %j', async (said) => {
    const db = engine.database()
    const ways = ['whole', 'closed', 'streamed', 'closed in a unit', 'streamed in a unit'] as const
    const summaries: unknown[] = []
    for (const way of ways) {
      const id = `${way} ${JSON.stringify(said)}`
      const opening = { session: session(id, 4), messages: [message(id, 1)] }
      const { seq: _, ...answer } = { ...message(id, 0, 'assistant'), ...said }
      const closing = { ...answer, ...charge, id: `answer of ${id}`, lease_token: 'ours' }
      const store = way.startsWith('closed') ? storeClosing : storeStreamed
      if (way === 'whole') await storeWhole(db, opening, closing, false)
      else {
        await storeOpening(db, opening.session, opening.messages)
        // On PostgreSQL, units leave this to the trigger, and other statements do it themselves.
        await store(db, closing, way.endsWith('in a unit'))
      }
      const kept = db.read.selectFrom('chat_sessions').select(['facts', 'models'])
      summaries.push(await kept.where('id', '=', id).executeTakeFirst())
    }
    expect(summaries).toEqual(ways.map(() => summaries[0]))
  })

  test('an answer is the next message and releases the session', async () => {
    await open('closed', 2)
    await close('closed', 'ours')
    expect(await roles('closed')).toEqual(['1 user', '2 user', '3 assistant'])
    expect(await lease('closed')).toMatchObject({ lease_token: null, lease_until: 0 })
  })

  test('a turn that lost its lease stores its answer and keeps the other turn’s lease', async () => {
    await open('lost', 1)
    const theirs = { lease_token: 'theirs', lease_until: now + 30_000 }
    await engine
      .database()
      .prepared(takeLease)
      .write({ session_id: 'lost', ...theirs, message_count: 1, now })
    await close('lost', 'ours')
    expect(await lease('lost')).toMatchObject(theirs)
    await close('lost', 'theirs')
    expect(await roles('lost')).toEqual(['1 user', '2 assistant', '3 assistant'])
  })

  test('an answer whose session was deleted is refused with an error', async () => {
    await expect(close('never opened', 'ours')).rejects.toThrow('is gone')
    expect(await entriesOf('never opened')).toEqual([])
  })

  test.each([false, true])(
    'an answer and its ledger entry are one write (limited: %s)',
    async (isLimited) => {
      const id = `booked ${isLimited}`
      await open(id, 1)
      await close(id, 'ours', isLimited)
      const answer = `answer of ${id}, ours`
      const moments = { counted_at: now - 1, created_at: now + 9 }
      expect(await entriesOf(id)).toEqual([
        { id: answer, message_id: null, kind: 'turn', amount_micros: -7, ...moments },
      ])
      expect(await roles(id)).toEqual(['1 user', '2 assistant'])
    },
  )

  test('a turn that began without a cap counts towards a cap that was set before its end', async () => {
    const window = {
      id: 'window',
      workspace_id: 'w',
      subject: 'agent',
      subject_id: 'a',
      period: 'day',
      starts_at: now - 9,
      ends_at: now + 9,
      limit_micros: 1,
      used_micros: 0,
    }
    const others = { ...window, id: 'of another', subject_id: 'b' }
    const db = engine.database()
    await db.write((tx) => tx.insertInto('credit_windows').values([window, others]).execute())
    await open('straddling', 1)
    await close('straddling', 'ours')
    const windows = await db.read
      .selectFrom('credit_windows')
      .select(['id', 'used_micros'])
      .orderBy('id')
      .execute()
    expect(windows).toEqual([
      { id: 'of another', used_micros: 0 },
      { id: 'window', used_micros: 7 },
    ])
  })
})
