import { expect, test } from 'vitest'
import { digitsOf, isCurrency, moneyText, readMoney } from './money.ts'

test('currencies have the decimals of ISO 4217, two unless listed', () => {
  expect(['USD', 'jpy', 'KWD', 'clf'].map(digitsOf)).toEqual([2, 0, 3, 4])
})

test('a typed amount is read as minor units, with a point or a comma', () => {
  expect(readMoney('12.50', 'usd')).toBe(1250)
  expect(readMoney(' 12,5 ', 'usd')).toBe(1250)
  expect(readMoney('12', 'jpy')).toBe(12)
  expect(readMoney('1.234', 'kwd')).toBe(1234)
})

test.each(['', 'abc', '-1', '1.234', '1,000.00', '12.', '.5', '99999999999999999'])(
  '%j is not an amount in dollars',
  (text) => {
    expect(readMoney(text, 'usd')).toBeNull()
  },
)

test('an amount with decimals is not an amount in yen', () => {
  expect(readMoney('12.5', 'jpy')).toBeNull()
})

test('an amount that was written can be read back unchanged', () => {
  for (const currency of ['usd', 'jpy', 'kwd', 'clf'])
    for (const minor of [0, 1, 99, 1250, 123_456_789])
      expect(readMoney(moneyText(minor, currency), currency)).toBe(minor)
})

test('a currency code is three letters', () => {
  expect(['usd', 'USD', 'us', 'usdt', 'u1d'].map(isCurrency)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
