import { expect, test } from 'vitest'
import { numberCitations } from './number-citations.ts'

test('citations have the numbers by which the answer cites them', () => {
  expect(numberCitations('Tea [5] and cake [2], also [5].', 2)).toEqual([2, 5])
})

test('citations of an answer without numbers, or with other numbers, are numbered from 1', () => {
  expect(numberCitations('Tea and cake.', 2)).toEqual([1, 2])
  expect(numberCitations('Tea [0], cake [7].', 2)).toEqual([1, 2])
  expect(numberCitations('Tea [1].', 0)).toEqual([])
})
