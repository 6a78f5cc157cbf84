import { expect, test } from 'vitest'
import { weighWords } from './weigh-words.ts'

function weigh(
  question: string,
  related: Readonly<Record<string, readonly string[]>> = {},
  corrections: Readonly<Record<string, string>> = {},
) {
  return weighWords({
    question,
    relatedTerms: new Map(Object.entries(related)),
    corrections: new Map(Object.entries(corrections)),
    known: new Map([
      ['warranti', 2],
      ['lamp', 50],
    ]),
    collection: { chunk_count: 100 },
  })
}

test('a rare word weighs more than a common one, and an unknown one most', () => {
  const { words, passageCount } = weigh('warranty lamps zyzzyva')
  const [rare = 0, common = 0, unknown = 0] = words.values()
  expect(common).toBeLessThan(rare)
  expect(rare).toBeLessThan(unknown)
  expect(passageCount).toBe(100)
})

test('an unknown word weighs less if the texts know a related word', () => {
  const alone = weigh('guarantee').words.get('guarantee') ?? 0
  const unknown = weigh('guarantee', { guarantee: ['zyzzyva'] }).words.get('guarantee')
  const known = weigh('guarantee', { guarantee: ['zyzzyva', 'warranti'] }).words.get('guarantee')
  expect(unknown).toBe(alone)
  expect(known).toBeLessThan(alone)
})

test('a mistyped word weighs as much as the word that is meant', () => {
  const meant = weigh('warranty').words.get('warranty')
  expect(weigh('waranty').words.get('waranty')).not.toBe(meant)
  expect(weigh('waranty', {}, { waranty: 'warranti' }).words.get('waranty')).toBe(meant)
})
