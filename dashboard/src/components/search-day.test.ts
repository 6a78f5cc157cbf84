import { expect, test } from 'vitest'
import { searchDay } from './search-day.ts'

test('a day of the calendar is kept', () => {
  expect(searchDay('2024-02-29')).toBe('2024-02-29')
})

test.each(['2026-02-31', '2026-13-01', '2026-1-1', '20260101', '', 20260101, undefined])(
  '%j is not a day',
  (value) => {
    expect(searchDay(value)).toBeUndefined()
  },
)
