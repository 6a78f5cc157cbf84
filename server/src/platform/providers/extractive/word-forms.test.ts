import { expect, test } from 'vitest'
import { isForm } from './word-forms.ts'

test.each([
  ['refund', 'refunds'],
  ['dog', 'dogs'],
  ['box', 'boxes'],
  ['log', 'logged'],
  ['ship', 'shipping'],
  ['store', 'storing'],
  ['cancel', 'cancellation'],
  ['confirm', 'confirmation'],
  ['rechnung', 'rechnungen'],
  ['доставка', 'доставки'],
])('%s and %s are forms of one word', (one, other) => {
  expect(isForm(one, other)).toBe(true)
  expect(isForm(other, one)).toBe(true)
})

test.each([
  ['face', 'facebook'],
  ['car', 'card'],
  ['car', 'care'],
  ['units', 'united'],
  ['pass', 'passport'],
  ['key', 'keyboard'],
])('%s and %s are two words', (one, other) => {
  expect(isForm(one, other)).toBe(false)
  expect(isForm(other, one)).toBe(false)
})
