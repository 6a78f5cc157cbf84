import { expect, test } from 'vitest'
import type { Point } from './analytics.ts'
import { fillGaps } from './fill-gaps.ts'

const week = { from: '2026-01-05', to: '2026-01-11', days: 7 }

/** A point as the service returns it, with a number of messages. */
function point(start: Date, messages: number): Point {
  const [quiet] = fillGaps([], { from: '2026-01-01', to: '2026-01-01', days: 1 }, 'day')
  if (quiet === undefined) throw new Error('a day is one point')
  return { ...quiet, start: start.toISOString(), messages }
}

test('every day of the range is a point, quiet ones with zeros', () => {
  const filled = fillGaps([point(new Date(2026, 0, 7), 5)], week, 'day')
  expect(filled.map(({ messages }) => messages)).toEqual([0, 0, 5, 0, 0, 0, 0])
  expect(filled[0]?.start).toBe(new Date(2026, 0, 5).toISOString())
  expect(filled[0]?.latency_p50_ms).toBeNull()
})

test('weeks begin on Mondays, after the first day of the range', () => {
  const range = { from: '2026-01-07', to: '2026-01-31', days: 25 }
  const starts = fillGaps([], range, 'week').map(({ start }) => new Date(start).getDate())
  expect(starts).toEqual([7, 12, 19, 26])
})

test('months begin on the first', () => {
  const range = { from: '2025-10-31', to: '2026-01-15', days: 77 }
  const starts = fillGaps([], range, 'month').map(({ start }) => new Date(start).getDate())
  expect(starts).toEqual([31, 1, 1, 1])
})

test('a point between the expected starts is kept, in its place', () => {
  const odd = point(new Date(2026, 0, 6, 12), 3)
  const filled = fillGaps([odd], week, 'day')
  expect(filled).toHaveLength(8)
  expect(filled[2]).toEqual(odd)
})

test('the future has no points', () => {
  const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const range = { from: tomorrow, to: tomorrow, days: 1 }
  expect(fillGaps([], range, 'hour')).toEqual([])
})
