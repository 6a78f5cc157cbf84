import { describe, expect, test } from 'vitest'
import { meanRatio, percentile, spreadOf } from './statistics.ts'

describe('statistics of a bench', () => {
  test('a percentile is one of the values, whatever their order', () => {
    const values = Array.from({ length: 101 }, (_, index) => 100 - index)
    expect(percentile(values, 0.5)).toBe(50)
    expect(percentile(values, 0.99)).toBe(99)
    expect(percentile(values, 1)).toBe(100)
    expect(percentile([], 0.5)).toBeNaN()
  })

  test('a spread is the median with the least and the most', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 })
    expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, least: 1, most: 4 })
    expect(spreadOf([Number.NaN, 7])).toEqual({ median: 7, least: 7, most: 7 })
  })

  test('twice and half cancel each other in a mean ratio', () => {
    expect(meanRatio([2, 0.5]).ratio).toBeCloseTo(1)
    expect(meanRatio([2, 0.5]).noise).toBeGreaterThan(1)
  })

  test('equal ratios have no noise, and that of a single one is unknown', () => {
    expect(meanRatio([1.1, 1.1, 1.1]).ratio).toBeCloseTo(1.1)
    expect(meanRatio([1.1, 1.1, 1.1]).noise).toBeCloseTo(0)
    expect(meanRatio([1.1]).noise).toBeNaN()
  })

  test('noise is half the 95 % interval of Student', () => {
    const ratios = [0.98, 1.02, 0.98, 1.02].map(Math.exp).map((ratio) => ratio / Math.E)
    // The logarithms are ± 0.02, so their deviation is 0.0231, over √4, times 3.182.
    expect(meanRatio(ratios).noise).toBeCloseTo(0.0374, 3)
  })
})
