import { expect, it } from 'vitest'
import { failureOfError, logDetail, retryAfterSeconds } from './failures.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

it.each([
  ['5', 5],
  [' 0 ', 0],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
  ['Thursday, 01-Jan-26 00:01:00 GMT', 60],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  [undefined, null],
  ['', null],
  ['soon', null],
  ['-5', null],
  ['1.5', null],
])('Retry-After %j means %j seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, now)).toBe(seconds)
})

it('A detail for the log is one short line without the key', () => {
  const detail = logDetail(`bad key sk-1\n\n${'x'.repeat(2000)}`, 'sk-1')
  expect(detail).toMatch(/^bad key \[key\] x+…$/)
  expect(detail.length).toBeLessThan(520)
})

it.each([
  ['connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'],
  ['other side closed', 'UND_ERR_SOCKET', 'UND_ERR_SOCKET other side closed'],
  ['', 'ECONNREFUSED', 'ECONNREFUSED'],
])(
  'The failure of a connection with the message %j contains its code once',
  (message, code, detail) => {
    const error = Object.assign(new Error(message), { code })
    expect(failureOfError(error, false).message).toBe(detail)
  },
)
