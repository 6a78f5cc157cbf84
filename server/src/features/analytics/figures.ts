import { addCounts, type DurationCounts } from './duration-buckets.ts'

const zeros = {
  sessions: 0,
  messages: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost_micros: 0,
  unpriced_answers: 0,
  errors: 0,
  unanswered: 0,
  ratings_up: 0,
  ratings_down: 0,
  action_calls: 0,
  action_errors: 0,
}

/** A figure that is a sum. It has the same name in the table, in the code and in the answer. */
export type Counter = keyof typeof zeros

// The keys of an object literal are exactly those of its type.
export const counters = Object.keys(zeros) as Counter[]

/** Figures that can be added to those of another span of time. */
export type Figures = Record<Counter, number> & {
  /** The durations of completed answers, from the request to their end. */
  readonly latency: DurationCounts
  /** The same answers, from the request to their first word. */
  readonly firstToken: DurationCounts
}

export function noFigures(): Figures {
  return { ...zeros, latency: new Map(), firstToken: new Map() }
}

export function addFigures(to: Figures, from: Figures): void {
  for (const counter of counters) to[counter] += from[counter]
  addCounts(to.latency, from.latency)
  addCounts(to.firstToken, from.firstToken)
}
