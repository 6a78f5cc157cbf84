import { expect, test } from 'vitest'
import { hasMoreParts } from '#kernel/json.ts'
import { operations } from './catalogue.ts'

test('parts of a value are counted at all levels, without recursion', () => {
  expect(hasMoreParts({ a: [1, 2], b: null }, 4)).toBe(false)
  expect(hasMoreParts({ a: [1, 2], b: null }, 3)).toBe(true)
  let deep: unknown = 0
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  expect(hasMoreParts(deep, 1_000_000)).toBe(false)
})

test('only the import of an agent may have an input of more than 10,000 values', () => {
  const long = operations.filter(({ longInput }) => longInput).map(({ name }) => name)
  expect(long).toEqual(['import_app'])
})
