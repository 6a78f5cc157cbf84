import { expect, test } from 'vitest'
import { commonSpan } from './spans.ts'

const days = [0, 1, 2].map((n) => Date.parse('2026-01-31') + n * 86_400_000)

test.each([
  ['UTC', 0, 1440],
  ['Berlin', 60, 60],
  ['Kathmandu', 345, 15],
])('the longest span of which all days in %s are starts', (_, minutes, span) => {
  expect(commonSpan(days.map((day) => day - minutes * 60_000))).toBe(span)
})

test('one moment in the middle of a day shortens the span', () => {
  expect(commonSpan([...days, Date.parse('2026-01-31T07:00Z')])).toBe(60)
})
