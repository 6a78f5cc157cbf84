import { expect, test } from 'vitest'
import { OperationError } from '#api/operation-error.ts'
import { titleOf } from './title-of.ts'

const error = (status: number, code = 'some_code') =>
  new OperationError('A sentence.', { code, status })

test.each([
  [error(403), 'Not allowed'],
  [error(404), 'Not found'],
  [error(422), 'Check your input'],
  [error(429), 'Limit reached'],
  [error(409, 'too_many_variables'), 'Limit reached'],
  [error(409), 'Not possible'],
  [error(0, 'offline'), 'No connection'],
])('a refusal is named for its kind: %o', (refused, title) => {
  expect(titleOf(refused)).toBe(title)
})

test.each([[error(500)], [error(0, 'cut')], [new Error('a mistake in the page')]])(
  'only a failure is titled "Something went wrong": %o',
  (failed) => {
    expect(titleOf(failed)).toBe('Something went wrong')
  },
)
