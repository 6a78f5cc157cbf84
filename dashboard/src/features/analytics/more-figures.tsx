import { lazy, Suspense, useState } from 'react'
import { useOperationList } from '#api/use-operation.ts'
import { LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import type { Point } from './analytics.ts'
import { FigureGrid, type FiguresProps } from './figure-grid.tsx'
import { furtherFigures } from './figures.ts'
import type { Granularity } from './time-range.ts'

const DetailCharts = lazy(async () => ({ default: (await import('./charts.tsx')).DetailCharts }))

export interface MoreFiguresProps extends FiguresProps {
  /** Null if nothing happened in the period. */
  readonly series: readonly Point[] | null
  readonly granularity: Granularity
}

/** The other figures and charts, which are opened on demand. */
export function MoreFigures(props: MoreFiguresProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer font-medium">{t('analytics.more')}</summary>
      {isOpen && <Details {...props} />}
    </details>
  )
}

function Details({ totals, previous, series, granularity }: MoreFiguresProps) {
  const { id: app_id } = useAgent()
  const one = { app_id, limit: 1 }
  const lists = [
    useOperationList('list_custom_actions', one),
    useOperationList('list_mcp_servers', one),
  ]
  const products = useOperationList('list_products', one)
  const figures = furtherFigures([totals, previous], {
    acts: lists.some(({ items }) => items.length > 0),
    sells: products.items.length > 0,
  })
  return (
    <div className="mt-4 flex flex-col gap-4">
      <FigureGrid figures={figures} totals={totals} previous={previous} />
      <p className="max-w-prose text-sm text-soft">{t('analytics.durations')}</p>
      {series !== null && (
        <Suspense fallback={<LoadingRows rows={3} />}>
          <DetailCharts series={series} granularity={granularity} />
        </Suspense>
      )}
    </div>
  )
}
