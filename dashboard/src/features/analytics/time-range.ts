import { dayOf, endOfDay, startOfDay } from '#components/local-day.ts'
import type { AnalyticsSearch } from './analytics-search.ts'

/** Whole days in the reader's calendar, including both ends. */
export interface TimeRange {
  /** 2026-01-31 */
  readonly from: string
  readonly to: string
  readonly days: number
}

export type Granularity = 'hour' | 'day' | 'week' | 'month'

export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

const dayMs = 24 * 60 * 60 * 1000

/** The period in the URL, or the last thirty days. */
export function rangeOf({ days = 30, from, to }: AnalyticsSearch, now = new Date()): TimeRange {
  const today = dayOf(now)
  if (from !== undefined) {
    const last = to ?? today
    return { from, to: last, days: Math.max(1, daysBetween(from, last) + 1) }
  }
  const first = new Date(now)
  first.setDate(first.getDate() - (days - 1))
  return { from: dayOf(first), to: today, days }
}

/** The granularity at which a chart stays readable. */
export function granularityOf({ days }: TimeRange): Granularity {
  if (days <= 2) return 'hour'
  if (days <= 120) return 'day'
  return days <= 730 ? 'week' : 'month'
}

/** The range as times: `from` is inclusive, `to` is exclusive. */
export function momentsOf({ from, to }: TimeRange): { readonly from: string; readonly to: string } {
  return { from: startOfDay(from), to: endOfDay(to) }
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
}
