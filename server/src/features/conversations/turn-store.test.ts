import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/engines.ts'
import { listMessageRows } from './reading-store.ts'
import { claimLease, readLease, type MessageRow, type SessionRow } from './store.ts'
import { storeClosing, storeOpening } from './turn-store.ts'

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
  model: null,
  prompt_tokens: null,
  completion_tokens: null,
  latency_ms: null,
  first_token_ms: null,
  finish_reason: null,
  error_code: null,
  citations_json: null,
  correlation_id: null,
  created_at: now,
})

describeEngines('storing a turn', (engine) => {
  const open = (id: string, count: number) =>
    storeOpening(
      engine.database(),
      session(id, count),
      Array.from({ length: count }, (_, index) => message(id, index + 1)),
    )
  const close = (id: string, token: string) => {
    const { seq: _, ...answer } = message(id, 0, 'assistant')
    const closing = { ...answer, id: `answer of ${token}`, lease_token: token, created_at: now + 9 }
    return storeClosing(engine.database(), closing)
  }
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

  test('an answer is the next message, and frees the session', async () => {
    await open('closed', 2)
    await close('closed', 'ours')
    expect(await roles('closed')).toEqual(['1 user', '2 user', '3 assistant'])
    const lease = await readLease(engine.database().read, 'closed')
    expect(lease).toEqual({ lease_token: null, lease_until: 0 })
  })

  test('a turn that lost its lease stores its answer and leaves the lease of the other', async () => {
    await open('lost', 1)
    const claim = { sessionId: 'lost', leaseToken: 'theirs', leaseUntil: now + 30_000, now }
    await engine.database().write((tx) => claimLease(tx, { ...claim, messageCount: 1 }))
    await close('lost', 'ours')
    const lease = await readLease(engine.database().read, 'lost')
    expect(lease).toEqual({ lease_token: 'theirs', lease_until: now + 30_000 })
    await close('lost', 'theirs')
    expect(await roles('lost')).toEqual(['1 user', '2 assistant', '3 assistant'])
  })

  test('an answer whose session was deleted meanwhile is not stored in silence', async () => {
    await expect(close('never opened', 'ours')).rejects.toThrow('is gone')
  })
})
