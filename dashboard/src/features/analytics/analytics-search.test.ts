import { expect, test } from 'vitest'
import { analyticsSearch, conversationsSearch } from './analytics-search.ts'

test('an address keeps a known number of days and drops any other', () => {
  expect(analyticsSearch({ days: 90 })).toEqual({ days: 90 })
  expect(analyticsSearch({ days: 91 })).toEqual({})
  expect(analyticsSearch({ days: '90' })).toEqual({})
})

test('an end without a start is dropped', () => {
  expect(analyticsSearch({ to: '2026-01-02' })).toEqual({})
  expect(analyticsSearch({ from: '2026-01-01', to: '2026-01-02' })).toEqual({
    from: '2026-01-01',
    to: '2026-01-02',
  })
})

test('filters of conversations keep what they know', () => {
  const search = { query: 'tea', rating: 'up', show: 'error', user: 'bea', days: 7 }
  expect(conversationsSearch(search)).toEqual(search)
  expect(conversationsSearch({ query: '', rating: 'best', show: 1, user: null })).toEqual({})
})
