import { expect, test } from 'vitest'
import { auditSearch, billingSearch, jobsSearch } from './settings-search.ts'

test('the audit log keeps valid filters and drops the rest', () => {
  expect(
    auditSearch({ actor: 'u1', action: '', outcome: 'refused', from: '2026-02-31', other: 1 }),
  ).toEqual({ actor: 'u1', outcome: 'refused' })
})

test('billing keeps a known type of transaction, an open form and the result of a purchase', () => {
  expect(billingSearch({ kind: 'turn', limit: true, checkout: 'done' })).toEqual({
    kind: 'turn',
    limit: true,
    checkout: 'done',
  })
  expect(billingSearch({ kind: 'gift', limit: 'true', checkout: 'lost' })).toEqual({})
})

test('jobs keep a known status', () => {
  expect(jobsSearch({ status: 'failed' })).toEqual({ status: 'failed' })
  expect(jobsSearch({ status: 'gone' })).toEqual({})
})
