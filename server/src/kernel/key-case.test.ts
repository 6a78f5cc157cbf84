import { expect, expectTypeOf, test } from 'vitest'
import { camelKeys, snakeKeys } from './key-case.ts'

test('keys are renamed from snake case to camel case, and the types with them', () => {
  const row = camelKeys({ id: 'a', created_at: 1, latency_p50_ms: 2 })
  expect(row).toEqual({ id: 'a', createdAt: 1, latencyP50Ms: 2 })
  expectTypeOf(row).toEqualTypeOf<{
    readonly id: string
    readonly createdAt: number
    readonly latencyP50Ms: number
  }>()
})

test('keys are renamed from camel case to snake case, and the types with them', () => {
  const shown = snakeKeys({ id: 'a', createdAt: 1, latencyP50Ms: 2, last4: 'x' })
  expect(shown).toEqual({ id: 'a', created_at: 1, latency_p50_ms: 2, last4: 'x' })
  expectTypeOf(shown).toEqualTypeOf<{
    readonly id: string
    readonly created_at: number
    readonly latency_p50_ms: number
    readonly last4: string
  }>()
})

test('nested records keep their keys', () => {
  expect(snakeKeys({ someThing: { innerKey: 1 } })).toEqual({ some_thing: { innerKey: 1 } })
})
