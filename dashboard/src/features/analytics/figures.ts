import { formatDuration, formatMoney, formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import type { Analytics } from './analytics.ts'

type Totals = Analytics['totals']

/** What an agent does besides answering. */
export interface Abilities {
  readonly acts: boolean
  readonly sells: boolean
}

export interface Figure {
  readonly label: string
  readonly value: (totals: Totals) => string
  readonly detail?: (totals: Totals) => string | null
}

/** A figure whose change is shown as a percentage. */
export interface Headline extends Figure {
  readonly amount: (totals: Totals) => number | null
}

const none = t('analytics.figures.none')

export const headlines: readonly Headline[] = [
  count('sessions', t('analytics.figures.sessions')),
  count('unanswered', t('analytics.figures.unanswered')),
  {
    label: t('analytics.figures.latency'),
    value: ({ latency_p50_ms: latency }) => duration(latency),
    amount: ({ latency_p50_ms: latency }) => latency,
  },
]

interface FurtherFigure extends Figure {
  /** Without it the figure is always shown. */
  readonly isOf?: (totals: Totals, abilities: Abilities) => boolean
}

const further: readonly FurtherFigure[] = [
  count('messages', t('analytics.figures.messages')),
  count('users', t('analytics.figures.users')),
  {
    label: t('analytics.figures.tokens'),
    value: (totals) =>
      formatNumber(totals.prompt_tokens + totals.completion_tokens, { notation: 'compact' }),
  },
  { label: t('analytics.figures.cost'), value: cost, detail: costDetail },
  {
    label: t('analytics.figures.latencySlow'),
    value: ({ latency_p95_ms: latency }) => duration(latency),
  },
  {
    label: t('analytics.figures.firstToken'),
    value: ({ first_token_p50_ms: first }) => duration(first),
  },
  count('errors', t('analytics.figures.errors')),
  {
    label: t('analytics.figures.ratings'),
    value: ({ ratings_up: up, ratings_down: down }) =>
      t('analytics.figures.ratingsShown', { up, down }),
    isOf: ({ ratings_up: up, ratings_down: down }) => up + down > 0,
  },
  {
    ...count('action_calls', t('analytics.figures.actions')),
    detail: ({ action_errors: failed }) =>
      failed === 0 ? null : t('analytics.figures.actionErrors', { count: failed }),
    isOf: ({ action_calls: calls }, { acts }) => acts || calls > 0,
  },
  {
    ...count('orders', t('analytics.figures.orders')),
    isOf: ({ orders }, { sells }) => sells || orders > 0,
  },
  {
    label: t('analytics.figures.revenue'),
    value: ({ revenue }) => money(revenue),
    isOf: ({ orders }, { sells }) => sells || orders > 0,
  },
]

/** The figures below the headlines, of what the agent does or did. */
export function furtherFigures(
  both: readonly [Totals, Totals],
  abilities: Abilities,
): readonly Figure[] {
  return further.filter(
    ({ isOf }) => isOf === undefined || both.some((one) => isOf(one, abilities)),
  )
}

function count(
  key: 'sessions' | 'messages' | 'users' | 'unanswered' | 'errors' | 'action_calls' | 'orders',
  label: string,
): Headline {
  return { label, value: (totals) => formatNumber(totals[key]), amount: (totals) => totals[key] }
}

function duration(milliseconds: number | null): string {
  return milliseconds === null ? none : formatDuration(milliseconds)
}

function cost({ cost_micros: micros, unpriced_answers: unpriced }: Totals): string {
  if (micros === 0 && unpriced > 0) return t('analytics.figures.priceUnknown')
  return formatNumber(micros / 1_000_000, { maximumFractionDigits: 2 })
}

function costDetail({ cost_micros: micros, unpriced_answers: count }: Totals): string | null {
  return micros === 0 || count === 0 ? null : t('analytics.figures.unpriced', { count })
}

function money(revenue: Totals['revenue']): string {
  const sums = Object.entries(revenue).map(([currency, minor]) => formatMoney(minor, currency))
  return sums.length === 0 ? none : sums.join(' + ')
}
