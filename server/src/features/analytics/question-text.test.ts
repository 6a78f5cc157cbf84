import { expect, test } from 'vitest'
import { questionText } from './tally.ts'

test('a question is counted in lower case, without punctuation at its ends', () => {
  expect(questionText(' ¿Where  is\nmy ORDER?! ')).toBe('where is my order')
  expect(questionText('?!')).toBe('')
  expect(questionText('a'.repeat(500))).toBe('a'.repeat(200))
})

test('a long run of punctuation within a question takes no time', () => {
  const startedAt = performance.now()
  expect(questionText(`a${'?'.repeat(200_000)}b`)).toBe('a')
  expect(questionText(`${'?'.repeat(200_000)}b`)).toBe('')
  expect(performance.now() - startedAt).toBeLessThan(100)
})
