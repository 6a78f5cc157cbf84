import { expect, test } from 'vitest'
import { granularityOf, momentsOf, rangeOf } from './time-range.ts'

const now = new Date(2026, 0, 31, 15)

test('without a period in the address the last thirty days are shown, today included', () => {
  expect(rangeOf({}, now)).toEqual({ from: '2026-01-02', to: '2026-01-31', days: 30 })
})

test('a range counts both its ends', () => {
  const range = rangeOf({ from: '2026-01-01', to: '2026-01-02' }, now)
  expect(range).toEqual({ from: '2026-01-01', to: '2026-01-02', days: 2 })
})

test('a range without an end reaches to today', () => {
  expect(rangeOf({ from: '2026-01-30' }, now)).toMatchObject({ to: '2026-01-31', days: 2 })
})

test('a longer range has coarser points', () => {
  const granularity = (days: number) => granularityOf({ from: '', to: '', days })
  expect([2, 3, 120, 121, 730, 731].map(granularity)).toEqual([
    'hour',
    'day',
    'day',
    'week',
    'week',
    'month',
  ])
})

test('the moments of a range reach from midnight to the midnight after its last day', () => {
  const { from, to } = momentsOf({ from: '2026-01-01', to: '2026-01-02', days: 2 })
  expect(new Date(from)).toEqual(new Date(2026, 0, 1))
  expect(new Date(to)).toEqual(new Date(2026, 0, 3))
})
