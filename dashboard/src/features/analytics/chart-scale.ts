import { nice, ticks } from 'd3-array'

export interface ValueScale {
  readonly max: number
  readonly ticks: readonly number[]
}

/** A scale from zero to a round number that is at least `largest`, with whole numbers as ticks. */
export function valueScale(largest: number): ValueScale {
  const [, max] = nice(0, Math.max(1, largest), 4)
  return { max, ticks: ticks(0, max, 4).filter(Number.isInteger) }
}

/** Where the points of a chart are on its horizontal axis, in pixels from the left end. */
export interface Columns {
  readonly count: number
  readonly first: number
  readonly step: number
}

/** Points from one end of the axis to the other; a single point is in the middle. */
export function pointColumns(count: number, width: number): Columns {
  return count < 2
    ? { count, first: width / 2, step: 0 }
    : { count, first: 0, step: width / (count - 1) }
}

/** The centres of equal bands that fill the axis. */
export function bandColumns(count: number, width: number): Columns {
  const step = width / Math.max(1, count)
  return { count, first: step / 2, step }
}

export function columnAt({ first, step }: Columns, index: number): number {
  return first + index * step
}

/** The index of the column nearest to `x`. */
export function nearestColumn({ count, first, step }: Columns, x: number): number {
  const nearest = step === 0 ? 0 : Math.round((x - first) / step)
  return Math.min(count - 1, Math.max(0, nearest))
}

/** How many columns one label covers, so that labels are at least `room` pixels apart. */
export function columnsPerLabel({ step }: Columns, room: number): number {
  return step === 0 ? 1 : Math.max(1, Math.ceil(room / step))
}

/** The values on top of each other: where each begins and ends. */
export function stacked(values: readonly number[]): readonly (readonly [number, number])[] {
  let top = 0
  return values.map((value) => [top, (top += value)])
}
