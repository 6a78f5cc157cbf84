import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database, Value } from '#platform/db/database.ts'
import { HeldTurns, type LongTurn } from './held-turns.ts'

/** What each statement got, as `keepTurns` sends it. */
let sent: { starts_at: number; content: string; lease_token: string }[][]
let answer: () => Promise<readonly { lease_token: string }[]>

/** The one method of the port that these turns use on PostgreSQL; others would throw. */
const db = {
  engine: 'postgres',
  prepared: () => ({
    writeByKey(given: Readonly<Record<string, Value>>) {
      if (typeof given.turns === 'string') sent.push(JSON.parse(given.turns))
      return answer()
    },
  }),
} as unknown as Database

const clock = { now: () => 1_000 }
const log = pino({ level: 'silent' })

function turnNamed(leaseToken: string, said = ''): LongTurn & { answer: { said: string } } {
  const credits = { model: 'openai/mock', startedAt: 0 }
  return {
    sessionId: `session of ${leaseToken}`,
    leaseToken,
    messageId: `answer of ${leaseToken}`,
    correlationId: null,
    stream: true,
    answer: { said, firstTokenMs: 1, credits },
    isClosing: false,
    storedTo: 0,
    hasPieces: false,
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  answer = async () => (sent.at(-1) ?? []).map(({ lease_token }) => ({ lease_token }))
})
afterEach(() => void vi.useRealTimers())

const second = () => vi.advanceTimersByTimeAsync(1_000)

test('all turns share a statement a second, with what is new in each answer', async () => {
  const turns = new HeldTurns({ db, clock, log })
  const [one, other] = [turnNamed('one', 'Hello'), turnNamed('other')]
  turns.add(one)
  turns.add(other)
  await second()
  one.answer.said += ' there'
  await second()
  expect(sent).toMatchObject([
    [{ content: 'Hello', starts_at: 0 }, { content: '' }],
    [{ content: ' there', starts_at: 5 }, { content: '' }],
  ])
  expect([one.hasPieces, other.hasPieces]).toEqual([true, false])
  turns.delete(one)
  turns.delete(other)
  await second()
  expect(sent).toHaveLength(2)
  expect(vi.getTimerCount()).toBe(0)
})

test('a piece that was not acknowledged is sent again from its beginning', async () => {
  const turns = new HeldTurns({ db, clock, log })
  const turn = turnNamed('one', 'Hello')
  turns.add(turn)
  const acknowledge = answer
  answer = () => Promise.reject(new Error('the connection broke'))
  await second()
  expect(turn.hasPieces).toBe(true)
  turn.answer.said += ' there'
  answer = acknowledge
  await second()
  expect(sent.at(-1)).toMatchObject([{ content: 'Hello there', starts_at: 0 }])
})

test('half of a character waits for its other half, and U+0000 is replaced', async () => {
  const turns = new HeldTurns({ db, clock, log })
  const turn = turnNamed('one', 'a\u0000b\ud83d')
  turns.add(turn)
  await second()
  turn.answer.said += '\ude00'
  await second()
  expect(sent.flat()).toMatchObject([
    { content: 'a\uFFFDb' },
    { content: '\u{1F600}', starts_at: 3 },
  ])
})

test('a turn whose answer is being stored waits for the statement and sends no further piece', async () => {
  const turns = new HeldTurns({ db, clock, log })
  const turn = turnNamed('one', 'Hello')
  turns.add(turn)
  const acknowledged = Promise.withResolvers<readonly { lease_token: string }[]>()
  answer = () => acknowledged.promise
  await second()
  turn.isClosing = true
  let isSettled = false
  const settled = turns.settled().then(() => (isSettled = true))
  await second()
  expect(isSettled).toBe(false)
  acknowledged.resolve([{ lease_token: 'one' }])
  await settled
  turn.answer.said += ' there'
  await second()
  expect(sent).toHaveLength(1)
})

test('very long texts are sent in several statements', async () => {
  const turns = new HeldTurns({ db, clock, log })
  for (const name of ['a', 'b', 'c']) turns.add(turnNamed(name, name.repeat(600_000)))
  await second()
  expect(sent.map((rows) => rows.length)).toEqual([1, 1, 1])
})
