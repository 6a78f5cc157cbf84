import { expect, test } from 'vitest'
import { remember } from './remember.ts'

test('the last results are kept, and the oldest is computed again', () => {
  const computed: string[] = []
  const double = remember(2, (text) => {
    computed.push(text)
    return { text: text + text }
  })
  for (const text of ['a', 'b', 'a', 'b', 'c', 'b', 'a'])
    expect(double(text)).toEqual({ text: text + text })
  expect(computed).toEqual(['a', 'b', 'c', 'a'])
})

test('an error is not kept', () => {
  let calls = 0
  const failing = remember(2, (): object => {
    calls += 1
    throw new Error('no')
  })
  for (let i = 0; i < 2; i += 1) expect(() => failing('a')).toThrow('no')
  expect(calls).toBe(2)
})
