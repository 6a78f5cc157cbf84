import { area, line } from 'd3-shape'
import { useEffect, useRef, useState, type PointerEvent } from 'react'
import type { Point } from './analytics.ts'
import {
  bandColumns,
  columnAt,
  columnsPerLabel,
  nearestColumn,
  pointColumns,
  stacked,
  valueScale,
  type Columns,
} from './chart-scale.ts'
import { ChartTooltip } from './chart-tooltip.tsx'
import { shortTime } from './short-time.ts'

export interface Measure {
  readonly key: keyof Point
  readonly label: string
  readonly colour: string
}

export interface ChartPlotProps {
  readonly kind: 'areas' | 'lines' | 'stackedBars'
  readonly series: readonly Point[]
  readonly measures: readonly Measure[]
  /** Formats values on the axis and in the tooltip. */
  readonly format: (value: number) => string
}

const height = 224
const margin = { top: 8, right: 24, bottom: 28, left: 60 }
const plotHeight = height - margin.top - margin.bottom
/** The minimum distance between the centres of two time labels. */
const labelRoom = 84

/** What the shapes of a plot share: its columns, and the pixel of a value. */
interface Frame extends ChartPlotProps {
  readonly width: number
  readonly columns: Columns
  readonly ticks: readonly number[]
  readonly y: (value: number) => number
}

/** A chart as SVG: axes, shapes, and a tooltip at the pointer. */
export function ChartPlot(props: ChartPlotProps) {
  const [box, outerWidth] = useWidth()
  const [pointed, setPointed] = useState<number | null>(null)
  const frame = frameOf(props, Math.max(0, outerWidth - margin.left - margin.right))
  const point = pointed === null ? undefined : props.series[pointed]
  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - margin.left
    setPointed(nearestColumn(frame.columns, x))
  }
  return (
    <div
      ref={box}
      className="relative"
      style={{ height }}
      onPointerMove={follow}
      onPointerDown={follow}
      onPointerLeave={() => setPointed(null)}
    >
      <svg width={outerWidth} height={height} className="absolute inset-0">
        <g transform={`translate(${margin.left} ${margin.top})`}>
          <ValueAxis {...frame} />
          <TimeAxis {...frame} />
          {props.kind === 'stackedBars' ? <Bars {...frame} /> : <Curves {...frame} />}
          {pointed !== null && <Cursor frame={frame} index={pointed} />}
        </g>
      </svg>
      {pointed !== null && point !== undefined && (
        <ChartTooltip
          x={margin.left + columnAt(frame.columns, pointed)}
          isRightHalf={columnAt(frame.columns, pointed) > frame.width / 2}
          title={shortTime(point.start)}
          rows={props.measures.map(({ key, ...measure }) => {
            const value = valueOf(point, key)
            return { ...measure, value: value === null ? '–' : props.format(value) }
          })}
        />
      )}
    </div>
  )
}

function frameOf(props: ChartPlotProps, width: number): Frame {
  const { series, measures, kind } = props
  const isStacked = kind === 'stackedBars'
  const heights = series.map((point) => {
    const values = measures.map(({ key }) => valueOf(point, key) ?? 0)
    return isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values)
  })
  const { max, ticks } = valueScale(Math.max(0, ...heights))
  return {
    ...props,
    width,
    columns: (isStacked ? bandColumns : pointColumns)(series.length, width),
    ticks,
    y: (value) => plotHeight * (1 - value / max),
  }
}

function ValueAxis({ ticks, y, width, format }: Frame) {
  return ticks.map((value) => (
    <g key={value} transform={`translate(0 ${y(value)})`}>
      <line x2={width} stroke="var(--line)" />
      <text x={-8} dy="0.32em" textAnchor="end" fontSize={12} fill="var(--soft)">
        {format(value)}
      </text>
    </g>
  ))
}

function TimeAxis({ series, columns }: Frame) {
  const every = columnsPerLabel(columns, labelRoom)
  return series.map(({ start }, index) =>
    index % every === 0 ? (
      <text
        key={start}
        x={columnAt(columns, index)}
        y={plotHeight + 20}
        textAnchor="middle"
        fontSize={12}
        fill="var(--soft)"
      >
        {shortTime(start)}
      </text>
    ) : null,
  )
}

/** Lines, and the areas below them. Periods without a value are skipped. */
function Curves({ series, measures, columns, y, kind }: Frame) {
  return measures.map(({ key, colour }) => {
    const spots = series.flatMap((point, index) => {
      const value = valueOf(point, key)
      return value === null ? [] : [[columnAt(columns, index), y(value)] as [number, number]]
    })
    return (
      <g key={key}>
        {kind === 'areas' && (
          <path d={area().y0(plotHeight)(spots) ?? ''} fill={colour} fillOpacity={0.15} />
        )}
        <path
          d={line()(spots) ?? ''}
          fill="none"
          stroke={colour}
          strokeWidth={1.5}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        {spots.length === 1 && <circle cx={spots[0]?.[0]} cy={spots[0]?.[1]} r={3} fill={colour} />}
      </g>
    )
  })
}

function Bars({ series, measures, columns, y }: Frame) {
  const width = Math.max(1, columns.step * 0.8)
  return series.map((point, index) => {
    const pieces = stacked(measures.map(({ key }) => valueOf(point, key) ?? 0))
    return measures.map(({ key, colour }, at) => {
      const [from, to] = pieces[at] ?? [0, 0]
      return (
        <rect
          key={`${point.start} ${key}`}
          x={columnAt(columns, index) - width / 2}
          y={y(to)}
          width={width}
          height={y(from) - y(to)}
          fill={colour}
        />
      )
    })
  })
}

/** Marks the period that the tooltip shows. */
function Cursor({ frame, index }: { readonly frame: Frame; readonly index: number }) {
  const { series, measures, columns, y, kind } = frame
  const x = columnAt(columns, index)
  if (kind === 'stackedBars')
    return (
      <rect
        x={x - columns.step / 2}
        width={columns.step}
        height={plotHeight}
        fill="var(--soft)"
        fillOpacity={0.15}
      />
    )
  const point = series[index]
  return (
    <>
      <line x1={x} x2={x} y2={plotHeight} stroke="var(--field-line)" />
      {measures.map(({ key, colour }) => {
        const value = point === undefined ? null : valueOf(point, key)
        return value === null ? null : <circle key={key} cx={x} cy={y(value)} r={4} fill={colour} />
      })}
    </>
  )
}

function valueOf(point: Point, key: keyof Point): number | null {
  const value = point[key]
  return typeof value === 'number' ? value : null
}

/** The width of an element, kept up to date while it changes. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}
