import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import type { ReactElement } from 'react'
import { formatDuration, formatNumber } from '#texts/format.ts'
import { locale } from '#texts/locale.ts'
import { t } from '#texts/t.ts'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import type { Analytics } from './overview-page.tsx'

type Point = Analytics['series'][number]

interface Measure {
  readonly key: keyof Point
  readonly label: string
  readonly colour: string
}

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

/** The time as three pictures, each with its numbers as a table. */
export function Charts({ series }: { readonly series: readonly Point[] }) {
  const data = [...series]
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <Chart title={t('analytics.charts.activity')} series={series} measures={activity} wide>
        <AreaChart data={data} accessibilityLayer={false}>
          {frame(formatNumber)}
          {activity.map(({ key, label, colour }) => (
            <Area
              key={key}
              dataKey={key}
              name={label}
              stroke={colour}
              fill={colour}
              fillOpacity={0.15}
              isAnimationActive={false}
            />
          ))}
        </AreaChart>
      </Chart>
      <Chart title={t('analytics.charts.latency')} series={series} measures={latency}>
        <LineChart data={data} accessibilityLayer={false}>
          {frame(formatDuration)}
          {latency.map(({ key, label, colour }) => (
            <Line
              key={key}
              dataKey={key}
              name={label}
              stroke={colour}
              dot={false}
              connectNulls
              isAnimationActive={false}
            />
          ))}
        </LineChart>
      </Chart>
      <Chart title={t('analytics.charts.cost')} series={series} measures={tokens}>
        <BarChart data={data} accessibilityLayer={false}>
          {frame((value) => formatNumber(value, { notation: 'compact' }))}
          {tokens.map(({ key, label, colour }) => (
            <Bar
              key={key}
              dataKey={key}
              name={label}
              fill={colour}
              stackId="tokens"
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </Chart>
    </div>
  )
}

/** Axes, grid and legend, which all three share. */
function frame(format: (value: number) => string): ReactElement {
  const tick = { fill: 'var(--soft)', fontSize: 12 }
  return (
    <>
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis
        dataKey="start"
        tickFormatter={shortTime}
        tick={tick}
        stroke="var(--line)"
        minTickGap={32}
      />
      <YAxis
        width={56}
        tickFormatter={format}
        tick={tick}
        stroke="var(--line)"
        allowDecimals={false}
      />
      <Tooltip
        labelFormatter={(label) => shortTime(String(label))}
        formatter={(value) => format(Number(value))}
        contentStyle={{
          background: 'var(--raised)',
          border: '1px solid var(--line)',
          borderRadius: 12,
          color: 'var(--ink)',
        }}
      />
      <Legend iconType="circle" iconSize={8} wrapperStyle={{ fontSize: 13 }} />
    </>
  )
}

interface ChartProps {
  readonly title: string
  readonly series: readonly Point[]
  readonly measures: readonly Measure[]
  readonly wide?: boolean
  readonly children: ReactElement
}

function Chart({ title, series, measures, wide = false, children }: ChartProps) {
  return (
    <Card className={wide ? 'min-w-0 lg:col-span-2' : 'min-w-0'}>
      <CardHeading title={title} />
      {/* The picture says nothing to a screen reader: the table below does. */}
      <div aria-hidden className="h-64">
        <ResponsiveContainer width="100%" height="100%">
          {children}
        </ResponsiveContainer>
      </div>
      <details className="mt-3 text-sm">
        <summary className="cursor-pointer text-soft">{t('analytics.charts.table')}</summary>
        <div className="mt-2 max-h-72 overflow-auto" role="region" aria-label={title} tabIndex={0}>
          <table className="w-full text-left tabular-nums">
            <thead>
              <tr>
                <th className="py-1 pr-4 font-medium">{t('analytics.charts.day')}</th>
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
      </details>
    </Card>
  )
}

function cell(value: Point[keyof Point]): string {
  return typeof value === 'number' ? formatNumber(value) : '–'
}

const dayFormat = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' })
const hourFormat = new Intl.DateTimeFormat(locale(), { timeStyle: 'short' })

/** Midnight is a day; anything else an hour of it. */
function shortTime(start: string): string {
  const date = new Date(start)
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
  return isMidnight ? dayFormat.format(date) : hourFormat.format(date)
}
