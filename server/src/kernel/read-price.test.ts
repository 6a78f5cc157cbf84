import { expect, test } from 'vitest'
import { readPrice } from './read-price.ts'

test.each([
  ['19.90 EUR', 'usd', 1990, 'eur'],
  ['€ 1.299,00', 'usd', 129_900, 'eur'],
  ['$1,299.50', 'usd', 129_950, 'usd'],
  ['$5', 'cad', 500, 'cad'],
  ['12,5', 'eur', 1250, 'eur'],
  ['1 299,00 zł', 'eur', 129_900, 'pln'],
  ["CHF 1'299.90", 'eur', 129_990, 'chf'],
  ['1.299.000', 'eur', 129_900_000, 'eur'],
  ['¥1,299', 'jpy', 1299, 'jpy'],
  ['0', 'usd', 0, 'usd'],
])('%s is a price where %s is usual', (text, usual, amountMinor, currency) => {
  expect(readPrice(text, usual)).toEqual({ amountMinor, currency })
})

test.each([
  ['1.299', 'usd', 'two ways'],
  ['1,299 EUR', 'eur', 'two ways'],
  ['0.299', 'usd', 'more than 2 decimals'],
  ['$5', 'eur', 'several currencies'],
  ['5 bananas', 'eur', 'not a currency'],
  ['free', 'eur', 'not a price'],
  ['-5', 'eur', 'not a currency'],
  ['1.29,900', 'eur', 'not a price'],
  ['1,2,3', 'eur', 'not a price'],
  ['€5 EUR', 'eur', 'not a price'],
])('%s is refused where %s is usual', (text, usual, problem) => {
  expect(readPrice(text, usual)).toMatchObject({ problem: expect.stringContaining(problem) })
})
