import type { ReactNode } from 'react'
import { formatPercent } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import type { Analytics } from './analytics.ts'
import { headlines, type Figure, type Headline } from './figures.ts'

type Totals = Analytics['totals']

export interface FiguresProps {
  readonly totals: Totals
  readonly previous: Totals
}

/** The three figures to look at first, with their change. */
export function Headlines({ totals, previous }: FiguresProps) {
  return (
    <dl className="grid gap-3 sm:grid-cols-3">
      {headlines.map((figure) => (
        <Tile key={figure.label} figure={figure} totals={totals} look="text-3xl">
          {change(figure, totals, previous)}
        </Tile>
      ))}
    </dl>
  )
}

export interface FigureGridProps extends FiguresProps {
  readonly figures: readonly Figure[]
}

/** Further figures of the period, compared with the previous one. */
export function FigureGrid({ figures, totals, previous }: FigureGridProps) {
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-4">
      {figures.map((figure) => {
        const more = figure.detail?.(totals) ?? null
        return (
          <Tile key={figure.label} figure={figure} totals={totals} look="text-xl">
            {more === null ? '' : `${more} · `}
            {comparison(figure.value(totals), figure.value(previous))}
          </Tile>
        )
      })}
    </dl>
  )
}

interface TileProps {
  readonly figure: Figure
  readonly totals: Totals
  readonly look: string
  readonly children: ReactNode
}

function Tile({ figure, totals, look, children }: TileProps) {
  return (
    <div className="flex flex-col rounded-2xl border border-line bg-card p-4">
      <dt className="text-[0.8125rem] text-soft">{figure.label}</dt>
      <dd className={`mt-1 font-semibold tabular-nums break-words ${look}`}>
        {figure.value(totals)}
      </dd>
      <dd className="mt-auto pt-1 text-[0.8125rem] text-soft">{children}</dd>
    </div>
  )
}

function change({ value, amount }: Headline, totals: Totals, previous: Totals): string {
  const compared = comparison(value(totals), value(previous))
  const [now, before] = [amount(totals), amount(previous)]
  if (now === null || before === null || before === 0 || now === before) return compared
  const part = formatPercent(Math.abs(now - before) / before)
  const direction = now > before ? 'up' : 'down'
  return `${t(`analytics.figures.${direction}`, { part })} · ${compared}`
}

function comparison(now: string, before: string): string {
  const none = t('analytics.figures.none')
  if (now === before) return now === none ? '' : t('analytics.figures.same')
  return before === none
    ? t('analytics.figures.noneBefore')
    : t('analytics.figures.before', { value: before })
}
