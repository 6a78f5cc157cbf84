import { expect, test } from 'vitest'
import { ModelCircuits } from './model-circuits.ts'

const limits = { modelCircuitFailures: 2, modelCircuitOpenMs: 100, modelCircuits: 2 }

function failing(key: string): ModelCircuits {
  const circuits = new ModelCircuits(limits)
  circuits.noteFailure(key, 0)
  circuits.noteFailure(key, 0)
  return circuits
}

test('a circuit opens after failures in a row, and a success between them closes it', () => {
  const circuits = new ModelCircuits(limits)
  circuits.noteFailure('a', 0)
  circuits.noteSuccess('a')
  circuits.noteFailure('a', 0)
  expect(circuits.admits('a', 0)).toBe(true)
  circuits.noteFailure('a', 0)
  expect(circuits.admits('a', 0)).toBe(false)
  expect(circuits.admits('b', 0)).toBe(true)
})

test('after some time one call probes, and its result closes or opens the circuit for all', () => {
  const circuits = failing('a')
  expect(circuits.admits('a', 99)).toBe(false)
  expect([circuits.admits('a', 100), circuits.admits('a', 100)]).toEqual([true, false])
  circuits.noteFailure('a', 150)
  expect(circuits.admits('a', 249)).toBe(false)
  expect(circuits.admits('a', 250)).toBe(true)
  circuits.noteSuccess('a')
  expect([circuits.admits('a', 251), circuits.admits('a', 251)]).toEqual([true, true])
})

test('a probe that never ends is followed by another one', () => {
  const circuits = failing('a')
  expect(circuits.admits('a', 100)).toBe(true)
  expect(circuits.admits('a', 199)).toBe(false)
  expect(circuits.admits('a', 200)).toBe(true)
})

test('a probe that ends without a result is followed by another one at once', () => {
  const circuits = failing('a')
  circuits.noteNothing('a', 50)
  expect(circuits.admits('a', 50)).toBe(false)
  expect(circuits.admits('a', 100)).toBe(true)
  circuits.noteNothing('a', 101)
  expect([circuits.admits('a', 101), circuits.admits('a', 101)]).toEqual([true, false])
})

test('the circuit that failed longest ago is forgotten first', () => {
  const circuits = failing('a')
  for (const key of ['b', 'a', 'c', 'c']) circuits.noteFailure(key, 0)
  expect(circuits.admits('a', 0)).toBe(false)
  expect(circuits.admits('c', 0)).toBe(false)
  circuits.noteFailure('b', 0)
  expect([circuits.admits('a', 0), circuits.admits('b', 0)]).toEqual([true, true])
})
