import { formatDuration, formatMoney, formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import type { Analytics } from './analytics.ts'

type Totals = Analytics['totals']

interface Figure {
  readonly label: string
  readonly value: (totals: Totals) => string
  readonly detail?: (totals: Totals) => string | null
}

const figures: readonly Figure[] = [
  { label: t('analytics.figures.sessions'), value: ({ sessions }) => formatNumber(sessions) },
  { label: t('analytics.figures.messages'), value: ({ messages }) => formatNumber(messages) },
  { label: t('analytics.figures.users'), value: ({ users }) => formatNumber(users) },
  {
    label: t('analytics.figures.unanswered'),
    value: ({ unanswered }) => formatNumber(unanswered),
  },
  {
    label: t('analytics.figures.tokens'),
    value: (totals) =>
      formatNumber(totals.prompt_tokens + totals.completion_tokens, { notation: 'compact' }),
  },
  { label: t('analytics.figures.cost'), value: ({ cost_micros: cost }) => credits(cost) },
  {
    label: t('analytics.figures.latency'),
    value: ({ latency_p50_ms: latency }) => duration(latency),
  },
  {
    label: t('analytics.figures.latencySlow'),
    value: ({ latency_p95_ms: latency }) => duration(latency),
  },
  {
    label: t('analytics.figures.firstToken'),
    value: ({ first_token_p50_ms: first }) => duration(first),
  },
  { label: t('analytics.figures.errors'), value: ({ errors }) => formatNumber(errors) },
  {
    label: t('analytics.figures.ratings'),
    value: ({ ratings_up: up, ratings_down: down }) =>
      t('analytics.figures.ratingsShown', { up, down }),
  },
  {
    label: t('analytics.figures.actions'),
    value: ({ action_calls: calls }) => formatNumber(calls),
    detail: ({ action_errors: count }) =>
      count === 0 ? null : t('analytics.figures.actionErrors', { count }),
  },
  { label: t('analytics.figures.orders'), value: ({ orders }) => formatNumber(orders) },
  { label: t('analytics.figures.revenue'), value: ({ revenue }) => money(revenue) },
]

export interface FigureGridProps {
  readonly totals: Totals
  readonly previous: Totals
}

/** The figures of the period, compared with the previous one. */
export function FigureGrid({ totals, previous }: FigureGridProps) {
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-4">
      {figures.map(({ label, value, detail }) => {
        const [now, before] = [value(totals), value(previous)]
        const more = detail?.(totals) ?? null
        return (
          <div key={label} className="flex flex-col rounded-2xl border border-line bg-card p-4">
            <dt className="text-[0.8125rem] text-soft">{label}</dt>
            <dd className="mt-1 text-xl font-semibold tabular-nums break-words">{now}</dd>
            <dd className="mt-auto pt-1 text-[0.8125rem] text-soft">
              {more === null ? '' : `${more} · `}
              {comparison(now, before)}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function comparison(now: string, before: string): string {
  const none = t('analytics.figures.none')
  if (now === before) return now === none ? '' : t('analytics.figures.same')
  return before === none
    ? t('analytics.figures.noneBefore')
    : t('analytics.figures.before', { value: before })
}

function duration(milliseconds: number | null): string {
  return milliseconds === null ? t('analytics.figures.none') : formatDuration(milliseconds)
}

function credits(micros: number): string {
  return formatNumber(micros / 1_000_000, { maximumFractionDigits: 2 })
}

function money(revenue: Totals['revenue']): string {
  const sums = Object.entries(revenue).map(([currency, minor]) => formatMoney(minor, currency))
  return sums.length === 0 ? t('analytics.figures.none') : sums.join(' + ')
}
