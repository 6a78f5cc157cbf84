import { dayMs, hourMs } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import { analyticsFaults as faults } from './analytics-faults.ts'
import { addDays, dateAt, isTimeZone, startOfDay } from './local-time.ts'

export const granularities = ['hour', 'day', 'week', 'month'] as const
type Granularity = (typeof granularities)[number]

export interface RangeQuery {
  /** First and last day in the time zone, both inclusive: `2026-01-31`. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly granularity?: Granularity | undefined
  /** A name of the time zone database; UTC by default. */
  readonly timeZone?: string | undefined
}

/** From one moment (inclusive) to another (exclusive): epoch milliseconds. */
export interface Period {
  readonly since: number
  readonly until: number
}

export interface AnalyticsRange extends Period {
  readonly from: string
  readonly to: string
  readonly granularity: Granularity
  readonly timeZone: string
  /** The same number of days right before. */
  readonly previous: Period
  /** The range, divided where hours, days, weeks (Mondays) or months begin. */
  readonly periods: readonly Period[]
}

const usualDays = 30
/** Years outside these do not fit the `YYYY-MM-DD` form. */
const firstDay = Date.parse('0000-01-01')
const lastDay = Date.parse('9999-12-31')
/** Longer ranges would make an answer too long for an assistant to read. */
const maxDays = { hour: 31, day: 366, week: 1098, month: 3660 } as const

/**
 * The requested days, by default the last thirty.
 *
 * @throws Fault range_invalid, time_zone_unknown
 */
export function readRange(query: RangeQuery, now: number): AnalyticsRange {
  const { granularity = 'day', timeZone = 'UTC' } = query
  if (!isTimeZone(timeZone)) throw new Fault(faults.time_zone_unknown, { time_zone: timeZone })
  const to = query.to ?? dateAt(now, timeZone)
  const toAt = Date.parse(to)
  const fromAt = query.from === undefined ? toAt - (usualDays - 1) * dayMs : Date.parse(query.from)
  const days = (toAt - fromAt) / dayMs + 1
  const most = maxDays[granularity]
  if (days < 1 || days > most || toAt >= lastDay || fromAt - days * dayMs < firstDay)
    throw new Fault(faults.range_invalid, { most_days: most })
  const from = query.from ?? addDays(to, 1 - usualDays)
  const since = startOfDay(from, timeZone)
  const until = startOfDay(addDays(to, 1), timeZone)
  const previous = { since: startOfDay(addDays(from, -days), timeZone), until: since }
  const starts = granularity === 'hour' ? hoursOf(since, until) : cutsOf(from, to, granularity)
  const moments = starts.map((start) =>
    typeof start === 'number' ? start : startOfDay(start, timeZone),
  )
  const periods = moments.map((at, n) => ({ since: at, until: moments[n + 1] ?? until }))
  return { from, to, granularity, timeZone, since, until, previous, periods }
}

function hoursOf(since: number, until: number): number[] {
  return Array.from({ length: Math.ceil((until - since) / hourMs) }, (_, n) => since + n * hourMs)
}

function cutsOf(from: string, to: string, granularity: Exclude<Granularity, 'hour'>): string[] {
  const cuts: string[] = []
  for (let date = from; date <= to; date = addDays(date, 1))
    if (date === from || begins(date, granularity)) cuts.push(date)
  return cuts
}

function begins(date: string, granularity: Exclude<Granularity, 'hour'>): boolean {
  if (granularity === 'day') return true
  if (granularity === 'month') return date.endsWith('-01')
  return new Date(date).getUTCDay() === 1
}
