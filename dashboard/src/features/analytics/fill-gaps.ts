import type { Analytics } from './overview-page.tsx'
import type { TimeRange } from './time-range.ts'

type Point = Analytics['series'][number]

/** A time in which nothing happened: the service leaves it out. */
const nothing: Omit<Point, 'start'> = {
  sessions: 0,
  messages: 0,
  users: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost_micros: 0,
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

/** Every hour or day of the range, so that a chart shows quiet ones as what they are. */
export function fillGaps(
  series: readonly Point[],
  range: TimeRange,
  granularity: 'hour' | 'day' | 'week',
): readonly Point[] {
  const known = new Map(series.map((point) => [Date.parse(point.start), point]))
  const at = firstOf(series, range, granularity)
  const end = Math.min(new Date(`${range.to}T23:59:59`).getTime(), Date.now())
  const filled: Point[] = []
  while (at.getTime() <= end) {
    filled.push(known.get(at.getTime()) ?? { ...nothing, start: at.toISOString() })
    known.delete(at.getTime())
    if (granularity === 'hour') at.setHours(at.getHours() + 1)
    else at.setDate(at.getDate() + (granularity === 'day' ? 1 : 7))
  }
  // What begins at a moment of its own (a zone that the browser counts otherwise) is not lost.
  return [...filled, ...known.values()].toSorted(
    (a, b) => Date.parse(a.start) - Date.parse(b.start),
  )
}

/** Weeks begin where the service lets them begin; days and hours with the range. */
function firstOf(
  series: readonly Point[],
  range: TimeRange,
  granularity: 'hour' | 'day' | 'week',
): Date {
  const [first] = series
  if (granularity === 'week' && first !== undefined) return new Date(first.start)
  return new Date(`${range.from}T00:00:00`)
}
