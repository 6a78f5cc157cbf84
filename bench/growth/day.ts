import { recordEvent } from '../../server/src/features/audit/index.ts'
import { rateAnswer } from '../../server/src/features/analytics/index.ts'
import { claimAtOnce, takeLease } from '../../server/src/features/turns/claim-store.ts'
import type { QuestionRow } from '../../server/src/features/turns/message-statements.ts'
import {
  addWithin,
  storeClosing,
  storeOpening,
  type Closing,
} from '../../server/src/features/turns/turn-store.ts'
import { storeWhole } from '../../server/src/features/turns/whole-turn-store.ts'
import { newId } from '../../server/src/kernel/ids.ts'
import type { Context } from '../../server/src/platform/context.ts'
import type { Database } from '../../server/src/platform/db/database.ts'

export const dayMs = 86_400_000

export interface SimulatedAgent {
  readonly workspaceId: string
  readonly agentId: string
  readonly keyId: string
  readonly userId: string
}

interface Day {
  readonly turns: number
  readonly begunAt: number
  readonly seed: number
}

/** Conversations that run at the same time. */
const lanes = 64
/** Turns of a conversation: half of them are single questions, a few are long; 2.5 on average. */
const lengths = [1, 1, 1, 1, 1, 2, 2, 3, 5, 8]
const endUsers = 5_000
const leaseMs = 60_000

type DayContext = Pick<Context, 'db' | 'clock'>

/** A day of turns, spread evenly. Two runs with the same seed store texts of the same lengths. */
export async function runDay(ctx: DayContext, agents: readonly SimulatedAgent[], day: Day) {
  const random = randomFrom(day.seed)
  let left = day.turns
  const lane = async () => {
    while (left > 0) {
      const agent = agents[Math.floor(random() ** 2 * agents.length)]
      const length = Math.min(left, lengths[Math.floor(random() * lengths.length)] ?? 1)
      left -= length
      const at = day.begunAt + Math.floor(((day.turns - left) / (day.turns + 1)) * dayMs)
      if (agent !== undefined) await converse(ctx, agent, { at, length, random })
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

interface Talk {
  readonly at: number
  readonly length: number
  random(): number
}

/** One conversation: an opening and a closing, or both in one write; later turns with a claim. */
async function converse({ db, clock }: DayContext, agent: SimulatedAgent, talk: Talk) {
  const { random } = talk
  const { workspaceId: workspace_id, agentId: agent_id, keyId: key_id } = agent
  const session_id = newId(talk.at)
  const named = random() < 0.6
  const end_user = named ? `customer-${Math.floor(random() * endUsers)}` : null
  for (let turn = 0; turn < talk.length; turn++) {
    const at = talk.at + turn * 45_000
    const question = {
      session_id,
      seq: turn * 2 + 1,
      id: newId(at),
      role: 'user',
      content: sentence(random, 6 + Math.floor(random() * 20)),
      parts_json: null,
      calls_json: null,
      correlation_id: null,
      created_at: at,
    }
    const closing = answerOf(random, { session_id, workspace_id, agent_id, key_id, end_user, at })
    if (turn === 0) await open(db, question, closing)
    else await proceed(db, question, closing)
    if (random() < 0.02)
      await rateAnswer(
        { db, clock },
        { workspaceId: workspace_id },
        {
          sessionId: session_id,
          messageId: closing.id,
          rating: random() < 0.8 ? 'up' : 'down',
          comment: null,
        },
      )
    if (random() < 0.02) await change({ db, clock }, agent, at)
  }
}

async function open(db: Database, question: QuestionRow, closing: Closing): Promise<void> {
  const { session_id: id, workspace_id, agent_id, end_user, lease_token } = closing
  const { created_at } = question
  const session = {
    id,
    workspace_id,
    agent_id: agent_id ?? '',
    agent_version: 1,
    source: 'api',
    end_user,
    created_at,
    last_message_at: created_at,
    message_count: 1,
    lease_token,
    lease_until: created_at + leaseMs,
  }
  // As in the service: an opening waits for its answer only without an end user and a stream.
  if (end_user === null)
    return await storeWhole(db, { session, messages: [question] }, closing, false)
  await storeOpening(db, session, [question])
  await storeClosing(db, closing, false)
}

async function proceed(db: Database, question: QuestionRow, closing: Closing): Promise<void> {
  const { session_id, lease_token } = closing
  const { seq: message_count, created_at: now } = question
  const claim = { session_id, lease_token, lease_until: now + leaseMs, message_count, now }
  if (db.engine === 'sqlite')
    await db.write(async (tx) => {
      await takeLease(tx, claim).execute()
      await addWithin(db, tx, [question])
    })
  else if (!(await claimAtOnce(db, claim, message_count - 1, [question])))
    throw new Error('not claimed')
  await storeClosing(db, closing, false)
}

type Place = Pick<Closing, 'session_id' | 'workspace_id' | 'agent_id' | 'key_id' | 'end_user'>

function answerOf(
  random: () => number,
  { at, ...place }: Place & { readonly at: number },
): Closing {
  const created_at = at + 2_500
  const words = 20 + Math.floor(random() ** 2 * 260)
  const cited = random() < 0.6
  return {
    ...place,
    id: newId(created_at),
    role: 'assistant',
    content: sentence(random, words),
    parts_json: null,
    calls_json: null,
    model: 'openai/gpt-5-mini',
    prompt_tokens: 400 + Math.floor(random() * 3_000),
    completion_tokens: Math.ceil(words * 1.3),
    cached_tokens: null,
    reasoning_tokens: null,
    latency_ms: 1_200 + Math.floor(random() * 6_000),
    first_token_ms: 300 + Math.floor(random() * 900),
    finish_reason: 'stop',
    error_code: null,
    citations_json: cited ? citations(random) : '[]',
    reasoning: null,
    correlation_id: null,
    created_at,
    amount_micros: -Math.floor(random() * 20_000),
    counted_at: at,
    lease_token: newId(at),
  }
}

/** An editor changes the agent, which the audit log records. */
async function change({ db }: DayContext, agent: SimulatedAgent, at: number) {
  const { workspaceId, agentId, userId } = agent
  const actor = { userId, workspaceId, scopes: ['*' as const], surface: 'dashboard' as const }
  const event = { actor, workspaceId, action: 'update_app', target: agentId }
  const changes = { before: { temperature: 0.2 }, after: { temperature: 0.4 } }
  await db.write((tx) => recordEvent(tx, at, { ...event, ...changes, outcome: 'done' }))
}

function citations(random: () => number): string {
  return JSON.stringify(
    Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) => ({
      source_id: `018f0000-0000-7000-8000-${String(Math.floor(random() * 40)).padStart(12, '0')}`,
      title: 'Delivery and returns',
      url: `https://help.example.com/articles/${Math.floor(random() * 400)}`,
      index: n + 1,
    })),
  )
}

const syllables = 'ra ne to li se mo ka du vi po an er st il om ut'.split(' ')

/** Words of two to four syllables, frequent ones more often. */
function sentence(random: () => number, words: number): string {
  return Array.from({ length: words }, () => {
    let number = Math.floor(random() ** 3 * 40_000)
    let word = ''
    for (let n = 0; n < 2 || number > 0; n++, number = Math.floor(number / 16))
      word += syllables[number % 16] ?? ''
    return word
  }).join(' ')
}

/** Mulberry32, so that runs can be compared. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
