import { expect, test } from 'vitest'
import { analyseQuestion } from '#features/text-analysis/index.ts'
import { unknownPart } from './unknown-part.ts'

test.each([
  ['How do refunds work?', ['refund'], 0.5],
  ['How do refunds work?', ['refund', 'work'], 0],
  // A word is known if a text contains any of its forms.
  ['Preise', ['ßpreis'], 0],
  ['xylophone', [], 1],
  ['', [], 1],
  // Three of its eight pairs are words. Two of the others share no character with them.
  ['退款什么时候到银行卡', ['退款', '银行', '行卡'], 3 / 8],
  ['退款什么时候到银行卡', [], 1],
  ['東京の送料', ['東京', '送料'], 0],
])('of %j, if the texts contain %j, the unknown part is %d', (question, known, part) => {
  expect(
    unknownPart(analyseQuestion(question), new Map(known.map((term) => [term, 1]))),
  ).toBeCloseTo(part, 12)
})
