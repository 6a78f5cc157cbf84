import { describe, expect, test } from 'vitest'
import {
  bandColumns,
  columnAt,
  columnsPerLabel,
  nearestColumn,
  pointColumns,
  stacked,
  valueScale,
} from './chart-scale.ts'

describe('the value scale', () => {
  test.each([0, 1, 2, 3, 7, 10, 99, 1234, 5_000_000])(
    'for %d starts at zero, covers it, and has whole numbers only',
    (largest) => {
      const { max, ticks } = valueScale(largest)
      expect(max).toBeGreaterThanOrEqual(largest)
      expect(ticks[0]).toBe(0)
      expect(ticks.at(-1)).toBe(max)
      expect(ticks.every(Number.isInteger)).toBe(true)
      expect(ticks.length).toBeLessThanOrEqual(6)
    },
  )

  test('never shows a value twice', () => {
    const { ticks } = valueScale(1)
    expect(ticks).toEqual([0, 1])
  })
})

describe('columns', () => {
  test('of points reach from end to end, a single point is in the middle', () => {
    expect([0, 1, 2].map((index) => columnAt(pointColumns(3, 200), index))).toEqual([0, 100, 200])
    expect(columnAt(pointColumns(1, 200), 0)).toBe(100)
  })

  test('of bands are at the centres of equal parts', () => {
    expect([0, 1].map((index) => columnAt(bandColumns(2, 200), index))).toEqual([50, 150])
  })

  test('the nearest column to a pointer is found, also outside of the axis', () => {
    const columns = pointColumns(5, 400)
    expect([-50, 0, 149, 151, 400, 999].map((x) => nearestColumn(columns, x))).toEqual([
      0, 0, 1, 2, 4, 4,
    ])
    expect(nearestColumn(pointColumns(1, 400), 3)).toBe(0)
  })

  test('labels keep their distance', () => {
    expect(columnsPerLabel(pointColumns(31, 300), 84)).toBe(9)
    expect(columnsPerLabel(pointColumns(3, 300), 84)).toBe(1)
  })
})

test('stacked values begin where the one below ends', () => {
  expect(stacked([3, 0, 4])).toEqual([
    [0, 3],
    [3, 3],
    [3, 7],
  ])
})
