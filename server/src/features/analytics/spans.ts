import { minuteMs } from '#kernel/durations.ts'

/**
 * The lengths of the spans that figures are kept for, in minutes. A day in any time zone consists of
 * whole quarters of an hour. A range is read from the longest spans that fit into it.
 */
export const spans = [15, 60, 1440] as const
export type SpanMinutes = (typeof spans)[number]

export const daySpan = 1440

/** The start of the span that holds this moment. */
export function startOfSpan(at: number, span: SpanMinutes): number {
  return at - (((at % (span * minuteMs)) + span * minuteMs) % (span * minuteMs))
}

/** The longest span of which all these moments are starts, or the shortest. */
export function commonSpan(moments: readonly number[]): SpanMinutes {
  const isStart = (span: SpanMinutes) => moments.every((at) => at === startOfSpan(at, span))
  return spans.findLast(isStart) ?? spans[0]
}

/** Consecutive spans of one length. */
interface Stretch {
  readonly span: SpanMinutes
  /** Inclusive; epoch milliseconds. */
  readonly since: number
  /** Exclusive. */
  readonly until: number
}

/** The longest spans in the middle of a range, and each shorter length at both ends. */
export const maxStretches = 2 * spans.length - 1

/**
 * A range as stretches of whole spans, oldest first: days in its middle, shorter spans at its ends. A
 * day in Kolkata consists of two quarters of an hour, 23 hours, and two more quarters.
 */
export function stretchesOf(
  since: number,
  until: number,
  lengths: readonly SpanMinutes[] = spans,
): Stretch[] {
  const span = lengths.at(-1)
  if (since >= until || span === undefined) return []
  // Days that do not begin on a quarter of an hour are older than any counted row.
  if (lengths.length === 1) return [{ span, since, until }]
  const shorter = lengths.slice(0, -1)
  const first = startOfSpan(since + span * minuteMs - 1, span)
  const last = startOfSpan(until, span)
  if (first >= last) return stretchesOf(since, until, shorter)
  return [
    ...stretchesOf(since, first, shorter),
    { span, since: first, until: last },
    ...stretchesOf(last, until, shorter),
  ]
}
