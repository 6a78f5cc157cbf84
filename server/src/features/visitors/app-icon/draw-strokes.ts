import type { CpuSlice } from '#kernel/cpu-slice.ts'

interface Point {
  readonly x: number
  readonly y: number
}

type Line = readonly [from: Point, to: Point]

/** Straight pieces of a curve: enough for an icon of 512 pixels. */
const pieces = 16

/** A path of the commands M, L and C as lines. */
export function linesOf(path: string): readonly Line[] {
  const lines: Line[] = []
  let at: Point = { x: 0, y: 0 }
  for (const [, command, numbers = ''] of path.matchAll(/([MLC])([^MLC]*)/g)) {
    const [first, ...rest] = pointsOf(numbers)
    if (first === undefined) continue
    if (command === 'L') lines.push([at, first])
    if (command === 'C') lines.push(...curve([at, first, ...rest]))
    at = rest.at(-1) ?? first
  }
  return lines
}

function pointsOf(numbers: string): Point[] {
  const values = numbers.trim().split(/\s+/).map(Number)
  return values.flatMap((x, i) => (i % 2 === 0 ? [{ x, y: values[i + 1] ?? 0 }] : []))
}

function curve(points: readonly Point[]): Line[] {
  const steps = Array.from({ length: pieces + 1 }, (_, n) => pointAt(points, n / pieces))
  return steps.flatMap((to, n): Line[] => {
    const from = steps[n - 1]
    return from === undefined ? [] : [[from, to]]
  })
}

/** De Casteljau: between the points, then between the points between them, until one is left. */
function pointAt(points: readonly Point[], part: number): Point {
  const [first = { x: 0, y: 0 }, ...rest] = points
  if (rest.length === 0) return first
  const between = rest.map((to, n) => {
    const from = points[n] ?? to
    return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
  })
  return pointAt(between, part)
}

interface Pen {
  /** Width and height of the square picture in pixels. */
  readonly size: number
  /** Of the drawing, in pixels. It is centred. */
  readonly height: number
  /** Half the width of a stroke, in pixels. */
  readonly radius: number
}

/** How much of each pixel the strokes of a path cover, from 0 to 1. Their ends are round. */
export async function drawStrokes(
  path: string,
  { size, height, radius }: Pen,
  slice: CpuSlice,
): Promise<Float32Array> {
  const lines = linesOf(path)
  const points = lines.flat()
  const [left, right] = endsOf(points.map(({ x }) => x))
  const [top, bottom] = endsOf(points.map(({ y }) => y))
  const scale = height / Math.max(bottom - top, right - left)
  const place = ({ x, y }: Point): Point => ({
    x: size / 2 + (x - (left + right) / 2) * scale,
    y: size / 2 + (y - (top + bottom) / 2) * scale,
  })
  const covered = new Float32Array(size * size)
  for (const [from, to] of lines) {
    if (slice.isOver) await slice.next()
    drawLine(covered, size, [place(from), place(to)], radius)
  }
  return covered
}

function endsOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

function drawLine(covered: Float32Array, size: number, line: Line, radius: number): void {
  const [from, to] = line
  const reach = radius + 1
  const [x0, x1] = rangeOf(from.x, to.x, reach, size)
  const [y0, y1] = rangeOf(from.y, to.y, reach, size)
  for (let y = y0; y < y1; y += 1)
    for (let x = x0; x < x1; x += 1) {
      const distance = distanceTo(line, x + 0.5, y + 0.5)
      const part = Math.min(1, Math.max(0, radius + 0.5 - distance))
      const at = y * size + x
      if (part > (covered[at] ?? 0)) covered[at] = part
    }
}

function rangeOf(a: number, b: number, reach: number, size: number): [number, number] {
  const start = Math.max(0, Math.floor(Math.min(a, b) - reach))
  return [start, Math.min(size, Math.ceil(Math.max(a, b) + reach))]
}

function distanceTo([from, to]: Line, x: number, y: number): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : ((x - from.x) * dx + (y - from.y) * dy) / length
  const part = Math.min(1, Math.max(0, along))
  return Math.hypot(x - from.x - part * dx, y - from.y - part * dy)
}
