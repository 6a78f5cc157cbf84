import { addCounts, type DurationCounts } from './duration-buckets.ts'

/** What is added up. */
export const counters = [
  'sessions',
  'messages',
  'promptTokens',
  'completionTokens',
  'costMicros',
  'errors',
  'unanswered',
  'ratingsUp',
  'ratingsDown',
  'actionCalls',
  'actionErrors',
] as const
export type Counter = (typeof counters)[number]

/** Figures that can be added to those of another span of time. */
export type Figures = Record<Counter, number> & {
  /** Whole answers, from the request to their end. */
  readonly latency: DurationCounts
  /** Streamed answers, from the request to their first word. */
  readonly firstToken: DurationCounts
}

export function noFigures(): Figures {
  return {
    sessions: 0,
    messages: 0,
    promptTokens: 0,
    completionTokens: 0,
    costMicros: 0,
    errors: 0,
    unanswered: 0,
    ratingsUp: 0,
    ratingsDown: 0,
    actionCalls: 0,
    actionErrors: 0,
    latency: new Map(),
    firstToken: new Map(),
  }
}

export function addFigures(to: Figures, from: Figures): void {
  for (const counter of counters) to[counter] += from[counter]
  addCounts(to.latency, from.latency)
  addCounts(to.firstToken, from.firstToken)
}
