import { expect, test } from 'vitest'
import { lineForPeople } from './log-line.ts'

const line = (event: object) =>
  lineForPeople(
    JSON.stringify({ level: 'warn', time: '2026-01-02T03:04:05.678Z', pid: 7, ...event }),
  )

test('a terminal shows an event of the log as a line for people', () => {
  expect(line({ msg: 'ready', port: 8080, host: '127.0.0.1' })).toMatch(
    /^\d\d:\d\d:05 warn {2}ready port=8080 host=127\.0\.0\.1\n$/,
  )
  expect(line({ msg: 'failed', name: 'two words' })).toContain('failed name="two words"')
})

test('the stack of an error is below its line', () => {
  const stack = 'Error: no\n    at somewhere'
  expect(line({ msg: 'failed', err: { type: 'Error', message: 'no', stack } })).toMatch(
    /warn {2}failed\n {2}Error: no\n {6}at somewhere\n$/,
  )
})
