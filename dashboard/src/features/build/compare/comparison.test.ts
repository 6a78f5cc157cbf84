import { expect, test } from 'vitest'
import { readCompared, variantOf, writeCompared } from './comparison.ts'

const otherwise = { kind: 'draft' } as const

test.each(['draft', 'published', 'v3', 'openai/gpt-x'])('%s is read as it is written', (text) => {
  expect(writeCompared(readCompared(text, otherwise))).toBe(text)
})

test('anything else in the URL is the usual choice', () => {
  for (const text of [undefined, 'v0', 'v', 'v1x', 'gpt']) {
    expect(readCompared(text, otherwise)).toEqual(otherwise)
  }
})

test('another model answers with the settings of the draft, and the published version by its number', () => {
  expect(variantOf({ kind: 'model', model: 'a/b' }, 7)).toEqual({ version: 'draft', model: 'a/b' })
  expect(variantOf({ kind: 'published' }, 7)).toEqual({ version: 7 })
})
