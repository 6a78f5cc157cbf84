import { normalized } from '#kernel/normalized.ts'
import { testChannel } from './channels.ts'
import type {
  CallToCount,
  CostToCount,
  MessageToCount,
  RequestToCount,
  StoredMessage,
} from './counted-rows-store.ts'
import { countDuration } from './duration-buckets.ts'
import { noFigures, type Figures } from './figures.ts'
import { daySpan, startOfSpan, type SpanMinutes } from './spans.ts'
import { userKey } from './user-key.ts'

/** An agent's span of time, for one channel of its conversations. */
export interface Place {
  readonly agentId: string
  readonly span: SpanMinutes
  readonly startsAt: number
  readonly source: string
}

export interface PlacedFigures {
  readonly place: Place
  readonly figures: Figures
  /** The keys of the end users who wrote. */
  readonly users: Set<number>
}

/** How often a question was asked or a source cited on a day (UTC). */
export interface DayCount {
  readonly agentId: string
  readonly day: number
  /** The question, or the id of the source. */
  readonly what: string
  count: number
  /** Of these, those in test conversations. */
  tests: number
}

/** What a model answered on a day (UTC), in one channel. */
export interface ModelCount {
  readonly agentId: string
  readonly day: number
  readonly model: string
  readonly source: string
  turns: number
  /** Of these, those whose model had no price. */
  unpriced: number
  micros: number
}

/** The space that an agent's messages, calls and stored requests take. */
export interface StoredMessages {
  messages: number
  bytes: number
}

interface Row {
  readonly agent_id: string
  readonly source: string
  readonly created_at: number
}

/**
 * Counts rows, the same way in the job, for rows that the job has not reached, and before a deletion.
 */
export class Tally {
  readonly places = new Map<string, PlacedFigures>()
  readonly questions = new Map<string, DayCount>()
  readonly citations = new Map<string, DayCount>()
  readonly models = new Map<string, ModelCount>()
  /** By agent. */
  readonly stored = new Map<string, StoredMessages>()
  readonly #spans: readonly SpanMinutes[]
  readonly #openings = new Map<string, StoredMessage>()

  constructor(spans: readonly SpanMinutes[]) {
    this.#spans = spans
  }

  countMessage(message: MessageToCount): void {
    const { end_user: endUser, agent_id: agentId } = message
    this.countStored(message)
    const key = message.role !== 'user' || endUser === null ? null : userKey(agentId, endUser)
    for (const { figures, users } of this.#of(message)) {
      addMessage(figures, message)
      if (key !== null) users.add(key)
    }
    for (const source of new Set(message.cited?.split(',')))
      addDayCount(this.citations, message, source)
  }

  /** Only its question and the space that it takes. */
  countStored(message: StoredMessage): void {
    this.#store(message.agent_id, { messages: 1, bytes: message.bytes })
    if (message.opening !== null) this.#open(message)
  }

  countRequest({ agent_id: agentId, bytes }: RequestToCount): void {
    this.#store(agentId, { messages: 0, bytes })
  }

  #store(agentId: string, { messages, bytes }: Readonly<StoredMessages>): void {
    const stored = this.stored.get(agentId) ?? { messages: 0, bytes: 0 }
    stored.messages += messages
    stored.bytes += bytes
    this.stored.set(agentId, stored)
  }

  /** A declined call takes space, but it was never made. */
  countCall(call: CallToCount): void {
    this.#store(call.agent_id, { messages: 0, bytes: call.bytes })
    if (call.status === 'declined') return
    for (const { figures } of this.#of(call)) {
      figures.action_calls += 1
      if (call.status !== 'done') figures.action_errors += 1
    }
  }

  countCost(cost: CostToCount): void {
    for (const { figures } of this.#of(cost)) figures.cost_micros += cost.cost_micros
    if (cost.model !== null) addModel(this.models, cost, cost.model)
  }

  /** A session's question is the last of the user messages that it began with. */
  #open(message: StoredMessage): void {
    const before = this.#openings.get(message.session_id)
    if (before !== undefined && before.seq > message.seq) return
    if (before !== undefined) this.#addQuestion(before, -1)
    this.#openings.set(message.session_id, message)
    this.#addQuestion(message, 1)
  }

  #addQuestion(message: StoredMessage, by: number): void {
    const question = questionText(message.opening ?? '')
    if (question !== '') addDayCount(this.questions, message, question, by)
  }

  #of({ agent_id: agentId, source, created_at: at }: Row): PlacedFigures[] {
    return this.#spans.map((span) => {
      const startsAt = startOfSpan(at, span)
      const key = `${agentId} ${span} ${startsAt} ${source}`
      const known = this.places.get(key)
      if (known !== undefined) return known
      const place = { agentId, span, startsAt, source }
      const made = { place, figures: noFigures(), users: new Set<number>() }
      this.places.set(key, made)
      return made
    })
  }
}

function addMessage(figures: Figures, message: MessageToCount): void {
  figures.messages += 1
  // The first message of a session is stored with the session, at the same moment.
  if (message.seq === 1) figures.sessions += 1
  figures.prompt_tokens += message.prompt_tokens ?? 0
  figures.completion_tokens += message.completion_tokens ?? 0
  if (message.error_code !== null) figures.errors += 1
  else countDurations(figures, message)
  figures.unanswered += message.unanswered
  figures.unpriced_answers += message.unpriced
}

/**
 * Counts both durations of the same answers. Without a first word before its end, both are equal.
 */
function countDurations({ latency, firstToken }: Figures, message: MessageToCount): void {
  const { latency_ms: whole, first_token_ms: first } = message
  if (whole === null) return
  countDuration(latency, whole)
  countDuration(firstToken, Math.min(first ?? whole, whole))
}

/** The part of a message that is read for it. */
const maxReadLength = 4000
const letterOrDigit = /[\p{L}\p{N}]/u

/** The most of a question that is kept, in UTF-16 code units. */
const maxQuestionLength = 200

/**
 * A question as it is counted: in lower case, with single spaces, without punctuation at its ends.
 * Empty if no letter or digit is left.
 */
export function questionText(content: string): string {
  const beginning = content.slice(0, maxReadLength)
  const text = normalized(beginning, 'NFKC').toLowerCase().replaceAll(/\s+/g, ' ')
  const first = text.search(letterOrDigit)
  if (first === -1) return ''
  // Cut before the end is searched: the time to find it grows with the square of the length.
  const bare = text.slice(first, first + maxQuestionLength).toWellFormed()
  return bare.replace(/[^\p{L}\p{N}]+$/u, '')
}

function addDayCount(
  to: Map<string, DayCount>,
  { agent_id: agentId, created_at: at, source }: Row,
  what: string,
  by = 1,
): void {
  const day = startOfSpan(at, daySpan)
  const tests = source === testChannel ? by : 0
  const key = `${agentId} ${day} ${what}`
  const known = to.get(key)
  if (known === undefined) to.set(key, { agentId, day, what, count: by, tests })
  else {
    known.count += by
    known.tests += tests
  }
}

function addModel(
  to: Map<string, ModelCount>,
  { agent_id: agentId, created_at: at, source, cost_micros: micros, unpriced }: CostToCount,
  model: string,
): void {
  const day = startOfSpan(at, daySpan)
  const key = `${agentId} ${day} ${source} ${model}`
  const known = to.get(key) ?? { agentId, day, model, source, turns: 0, unpriced: 0, micros: 0 }
  known.turns += 1
  known.unpriced += unpriced
  known.micros += micros
  to.set(key, known)
}
