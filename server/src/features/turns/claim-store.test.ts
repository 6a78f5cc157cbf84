import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import type { Database } from '#platform/db/database.ts'
import { openDatabase } from '#platform/db/open-database.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { claimAtOnce, insertTicket, peekSession } from './claim-store.ts'
import type { MessageRow } from './turn-columns.ts'
import { storeOpening } from './turn-store.ts'

const now = 1_790_000_000_000

const message = (sessionId: string, seq: number): MessageRow => ({
  session_id: sessionId,
  seq,
  id: `${sessionId}-${seq}`,
  role: 'user',
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

// On PostgreSQL only: SQLite claims in a unit.
describe.skipIf(inject('postgresUrl') === '')('claiming a session in one statement', () => {
  let settings: DatabaseSettings
  let db: Database

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
    db = openDatabase(settings, pino({ level: 'silent' }))
  })
  afterAll(async () => {
    await db.close()
    await dropDatabase(settings)
  })

  /** Stores a session of one message, which is free unless `lease` is given. */
  async function open(id: string, lease: { token: string; until: number } | null = null) {
    const session = {
      id,
      workspace_id: 'w',
      agent_id: 'a',
      agent_version: 1,
      source: 'api',
      end_user: null,
      created_at: now,
      last_message_at: now,
      message_count: 1,
      lease_token: lease?.token ?? null,
      lease_until: lease?.until ?? 0,
    }
    await storeOpening(db, session, [message(id, 1)])
  }

  async function claim(id: string, token: string, { seen = 1, add = 1, on = db } = {}) {
    const messages = Array.from({ length: add }, (_, index) => ({
      ...message(id, seen + index + 1),
      id: `${token}-${index}`,
    }))
    const lease = { lease_token: token, lease_until: now + 15_000, message_count: seen + add, now }
    return await claimAtOnce(on, { session_id: id, ...lease }, seen, messages)
  }

  const stored = async (id: string) => {
    const { session, messages } = await peekSession(db, id, { messages: 999, bytes: 1e9 })
    return {
      token: session?.lease_token,
      count: session?.message_count,
      seqs: messages.map(({ seq }) => seq),
    }
  }

  test('of twenty concurrent turns in two processes that claim a session, one gets it', async () => {
    await open('wanted')
    const another = openDatabase(settings, pino({ level: 'silent' }))
    const claims = Array.from({ length: 20 }, (_, n) =>
      claim('wanted', `turn ${n}`, { on: n % 2 === 0 ? db : another }),
    )
    const won = (await Promise.all(claims)).flatMap((claimed, n) => (claimed ? [n] : []))
    await another.close()
    expect(won).toHaveLength(1)
    expect(await stored('wanted')).toEqual({ token: `turn ${won[0]}`, count: 2, seqs: [1, 2] })
  })

  test.each([0, 1, 16])('%i messages of the turn are stored in order', async (add) => {
    await open(`with ${add}`)
    expect(await claim(`with ${add}`, 'ours', { add })).toBe(true)
    const seqs = Array.from({ length: 1 + add }, (_, index) => index + 1)
    expect(await stored(`with ${add}`)).toMatchObject({ count: 1 + add, seqs })
  })

  test('a session that is leased, changed, awaited or missing stays unchanged', async () => {
    await open('held', { token: 'theirs', until: now + 1 })
    await open('changed')
    await open('waited for')
    await db.write((tx) => insertTicket(tx, 'waited for', 'first in line', now + 1))
    expect(await claim('held', 'ours')).toBe(false)
    expect(await claim('changed', 'ours', { seen: 0 })).toBe(false)
    expect(await claim('waited for', 'ours')).toBe(false)
    expect(await claim('unknown', 'ours')).toBe(false)
    for (const id of ['held', 'changed', 'waited for'])
      expect(await stored(id)).toMatchObject({ count: 1, seqs: [1] })
    expect(await stored('unknown')).toMatchObject({ count: undefined, seqs: [] })
  })

  test('the lease and the ticket of dead processes block no turn', async () => {
    await open('lapsed', { token: 'theirs', until: now })
    await db.write((tx) => insertTicket(tx, 'lapsed', 'a dead one', now))
    expect(await claim('lapsed', 'ours')).toBe(true)
  })

  test('a lease and a ticket that end later than any can block no turn', async () => {
    await open('ahead', { token: 'theirs', until: now + dayMs })
    await db.write((tx) => insertTicket(tx, 'ahead', 'of a clock that was ahead', now + dayMs))
    expect(await claim('ahead', 'ours')).toBe(true)
  })

  test('more messages than any statement supports are left to the unit', async () => {
    await open('many')
    expect(await claim('many', 'ours', { add: 17 })).toBe(false)
    expect(await stored('many')).toMatchObject({ count: 1, seqs: [1] })
  })
})
