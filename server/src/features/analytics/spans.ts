const minuteMs = 60_000

/**
 * The spans of time that figures are kept for. A day of any time zone consists of whole quarters of
 * an hour; a range is read from the longest spans that fit into it.
 */
export const spans = [15, 60, 1440] as const
export type SpanMinutes = (typeof spans)[number]

export const daySpan = 1440

/** When the span that holds this moment begins. */
export function startOfSpan(at: number, span: SpanMinutes): number {
  return at - (((at % (span * minuteMs)) + span * minuteMs) % (span * minuteMs))
}

/** Whole spans of one length that follow each other. */
export interface Stretch {
  readonly span: SpanMinutes
  /** Inclusive; epoch milliseconds. */
  readonly since: number
  /** Exclusive. */
  readonly until: number
}

/** Of one range: the longest spans in its middle, each of the shorter ones at both ends. */
export const maxStretches = 2 * spans.length - 1

/**
 * A range as stretches of whole spans, oldest first: days in its middle, shorter spans only towards
 * its ends. A day of Kolkata is two quarters of an hour, 23 hours, and two quarters again.
 */
export function stretchesOf(
  since: number,
  until: number,
  lengths: readonly SpanMinutes[] = spans,
): Stretch[] {
  const span = lengths.at(-1)
  if (since >= until || span === undefined) return []
  // Days that began between quarters of an hour are older than anything that was counted.
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
