import { formatDuration, formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import type { Point } from './analytics.ts'
import { ChartPlot, type ChartPlotProps, type Measure } from './chart-plot.tsx'
import { shortTime } from './short-time.ts'
import type { Granularity } from './time-range.ts'

const activity: readonly Measure[] = [
  { key: 'sessions', label: t('analytics.figures.sessions'), colour: 'var(--chart-1)' },
  { key: 'messages', label: t('analytics.figures.messages'), colour: 'var(--chart-2)' },
]
const latency: readonly Measure[] = [
  { key: 'latency_p50_ms', label: t('analytics.charts.p50'), colour: 'var(--chart-1)' },
  { key: 'latency_p95_ms', label: t('analytics.charts.p95'), colour: 'var(--chart-2)' },
]
const tokens: readonly Measure[] = [
  { key: 'prompt_tokens', label: t('analytics.charts.prompt'), colour: 'var(--chart-1)' },
  { key: 'completion_tokens', label: t('analytics.charts.completion'), colour: 'var(--chart-2)' },
]

/** Conversations over time, with the numbers as a table. */
export function ActivityChart({ series, granularity }: ChartsProps) {
  return (
    <Chart
      title={t('analytics.charts.activity')}
      kind="areas"
      series={series}
      granularity={granularity}
      measures={activity}
      format={formatNumber}
    />
  )
}

/** How long answers took and how many tokens they used, over time. */
export function DetailCharts({ series, granularity }: ChartsProps) {
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Chart
        title={t('analytics.charts.latency')}
        kind="lines"
        series={series}
        granularity={granularity}
        measures={latency}
        format={formatDuration}
      />
      <Chart
        title={t('analytics.charts.cost')}
        kind="stackedBars"
        series={series}
        granularity={granularity}
        measures={tokens}
        format={compactNumber}
        formatExactly={formatNumber}
      />
    </div>
  )
}

interface ChartsProps {
  readonly series: readonly Point[]
  readonly granularity: Granularity
}

function compactNumber(value: number): string {
  return formatNumber(value, { notation: 'compact' })
}

interface ChartProps extends ChartPlotProps {
  readonly title: string
  readonly granularity: Granularity
  /** For the table, where it differs from that of the axis. */
  formatExactly?(value: number): string
}

function Chart({ title, granularity, formatExactly, ...plot }: ChartProps) {
  const { series, measures, format } = plot
  return (
    <Card className="min-w-0">
      <CardHeading title={title} />
      {/* Screen readers skip the chart and read the table below. */}
      <div aria-hidden>
        <ChartPlot {...plot} />
        <Legend measures={measures} />
      </div>
      <details className="mt-3 text-sm">
        <summary className="cursor-pointer text-soft">{t('analytics.charts.table')}</summary>
        <ChartTable
          title={title}
          granularity={granularity}
          series={series}
          measures={measures}
          format={formatExactly ?? format}
        />
      </details>
    </Card>
  )
}

function Legend({ measures }: { readonly measures: readonly Measure[] }) {
  return (
    <ul className="flex flex-wrap justify-center gap-x-4 text-sm">
      {measures.map(({ key, label, colour }) => (
        <li key={key} className="flex items-center gap-1.5">
          <span className="size-2 rounded-full" style={{ background: colour }} />
          {label}
        </li>
      ))}
    </ul>
  )
}

interface ChartTableProps extends Pick<ChartPlotProps, 'series' | 'measures' | 'format'> {
  readonly title: string
  readonly granularity: Granularity
}

function ChartTable({ title, granularity, series, measures, format }: ChartTableProps) {
  const cell = (value: Point[keyof Point]) => (typeof value === 'number' ? format(value) : '–')
  return (
    <div className="mt-2 max-h-72 overflow-auto" role="region" aria-label={title} tabIndex={0}>
      <table className="w-full text-left tabular-nums">
        <thead>
          <tr>
            <th className="py-1 pr-4 font-medium">
              {t(`analytics.charts.periods.${granularity}`)}
            </th>
            {measures.map(({ key, label }) => (
              <th key={key} className="py-1 pr-4 font-medium">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map((point) => (
            <tr key={point.start} className="border-t border-line">
              <td className="py-1 pr-4">{shortTime(point.start)}</td>
              {measures.map(({ key }) => (
                <td key={key} className="py-1 pr-4">
                  {cell(point[key])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
