import { expect, it } from 'vitest'
import { withoutQuestion } from './without-question.ts'

const question = 'To go ahead, reply “yes”:\n- Cancel order (order_id: 42)\n- Send mail'

it('removes the question at the end of an answer', () => {
  expect(withoutQuestion(`I would cancel it.\n\n${question}`)).toBe('I would cancel it.')
  expect(withoutQuestion(question)).toBe('')
})

it('leaves other words, even those of a question', () => {
  for (const answer of ['Done.', `${question}\n\nDone.`, `He said: ${question}`, ''])
    expect(withoutQuestion(answer)).toBe(answer)
})
