import { expect, test } from 'vitest'
import { SizedCache } from './sized-cache.ts'

function keys(cache: SizedCache<string, string>): string {
  return ['a', 'b', 'c', 'd'].filter((key) => cache.has(key)).join('')
}

test('the least recently used values are dropped until the rest fits', () => {
  const cache = new SizedCache<string, string>({ maxBytes: 10, bytesOf: ({ length }) => length })
  cache.set('a', 'four')
  cache.set('b', 'four')
  expect(cache.get('a')).toBe('four')
  cache.set('c', 'four')
  expect(keys(cache)).toBe('ac')
  cache.set('d', 'ten bytes.')
  expect(keys(cache)).toBe('d')
  cache.set('a', 'eleven bytes')
  expect(keys(cache)).toBe('d')
  expect(cache.get('a')).toBeUndefined()
})
