import type { Point } from './analytics.ts'
import type { Granularity, TimeRange } from './time-range.ts'

/** A period without activity, which the service leaves out. */
const nothing: Omit<Point, 'start'> = {
  sessions: 0,
  messages: 0,
  users: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost_micros: 0,
  unpriced_answers: 0,
  errors: 0,
  latency_p50_ms: null,
  latency_p95_ms: null,
  first_token_p50_ms: null,
  ratings_up: 0,
  ratings_down: 0,
  unanswered: 0,
  action_calls: 0,
  action_errors: 0,
  orders: 0,
  revenue: {},
}

/** Adds the missing periods of the range, so that a chart shows them as zero. */
export function fillGaps(
  series: readonly Point[],
  range: TimeRange,
  granularity: Granularity,
): readonly Point[] {
  const known = new Map(series.map((point) => [Date.parse(point.start), point]))
  const at = new Date(`${range.from}T00:00:00`)
  const end = Math.min(new Date(`${range.to}T23:59:59`).getTime(), Date.now())
  const filled: Point[] = []
  while (at.getTime() <= end) {
    filled.push(known.get(at.getTime()) ?? { ...nothing, start: at.toISOString() })
    known.delete(at.getTime())
    goOn(at, granularity)
  }
  // Keeps points with other start times, which a different time zone database can cause.
  return [...filled, ...known.values()].toSorted(
    (a, b) => Date.parse(a.start) - Date.parse(b.start),
  )
}

/** Moves to where the service starts the next period: an hour, a day, a Monday, the first of a month. */
function goOn(at: Date, granularity: Granularity): void {
  switch (granularity) {
    case 'hour':
      at.setHours(at.getHours() + 1)
      return
    case 'day':
      at.setDate(at.getDate() + 1)
      return
    case 'week':
      at.setDate(at.getDate() + ((8 - at.getDay()) % 7 || 7))
      return
    case 'month':
      at.setMonth(at.getMonth() + 1, 1)
  }
}
