import { searchDay } from '#components/search-day.ts'

/** The state in the URL of the figures: the period, in days of the reader's calendar. */
export interface AnalyticsSearch {
  readonly days?: 7 | 30 | 90
  /** 2026-01-31; with `to` instead of `days`. */
  readonly from?: string
  readonly to?: string
  readonly source?: string
  /** Whether test conversations count, too. */
  readonly tests?: true
}

export interface ConversationsSearch extends AnalyticsSearch {
  readonly query?: string
  readonly rating?: 'up' | 'down'
  readonly show?: 'error' | 'unanswered'
  readonly user?: string
}

export function analyticsSearch(search: Record<string, unknown>): AnalyticsSearch {
  const { days, source, tests } = search
  const from = searchDay(search.from)
  const to = searchDay(search.to)
  return {
    ...(days === 7 || days === 30 || days === 90 ? { days } : {}),
    ...(from === undefined ? {} : { from }),
    ...(from === undefined || to === undefined ? {} : { to }),
    ...(typeof source === 'string' && source !== '' ? { source } : {}),
    ...(tests === true ? { tests } : {}),
  }
}

export function conversationsSearch(search: Record<string, unknown>): ConversationsSearch {
  const { query, rating, show, user } = search
  return {
    ...analyticsSearch(search),
    ...(typeof query === 'string' && query !== '' ? { query } : {}),
    ...(rating === 'up' || rating === 'down' ? { rating } : {}),
    ...(show === 'error' || show === 'unanswered' ? { show } : {}),
    ...(typeof user === 'string' && user !== '' ? { user } : {}),
  }
}
