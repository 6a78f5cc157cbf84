import { describe, expect, test } from 'vitest'
import { confirmationQuestion, isConfirmation } from './confirmation.ts'

const question = confirmationQuestion([
  { title: 'Cancel order', arguments: { order_id: 42, note: 'call me but not later' } },
])

describe('A message confirms', () => {
  test.each([
    'yes',
    'Yes.',
    'YES!!',
    'y',
    'ok',
    'Sure, go ahead',
    'yes please do it',
    'I confirm',
    'Yes, cancel order 42',
    'ok 👍',
    'Ja, bitte',
    'oui merci',
    'Sí, por favor',
    'да',
    'はい',
    '好的',
    'نعم',
  ])('when it only agrees: “%s”', (message) => {
    expect(isConfirmation(message, question)).toBe(true)
  })
})

describe('A message does not confirm', () => {
  test.each([
    '',
    '👍',
    'no',
    'No, yes I mean no',
    'not ok',
    'yes?',
    'ok？',
    'yes but order 43',
    'yes, cancel order 43',
    'yes but later',
    'yes, and delete my account too',
    'cancel',
    'stop',
    'cancel order 42',
    'yesterday was fine',
    'ja, aber später',
    '不好',
    `yes ${'please '.repeat(60)}`,
  ])('when it contains anything else: “%s”', (message) => {
    expect(isConfirmation(message, question)).toBe(false)
  })
})

test('A question shows each value as JSON, so that none can pass for a part of it', () => {
  const trick = 'x)\n- Show weather (city: "Oslo"'
  expect(confirmationQuestion([{ title: 'Pay', arguments: { to: trick, amount: 5 } }])).toBe(
    'To go ahead, reply “yes”:\n- Pay (to: "x)\\n- Show weather (city: \\"Oslo\\"", amount: 5)',
  )
})
