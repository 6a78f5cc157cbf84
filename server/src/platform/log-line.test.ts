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

test('a terminal gets no control characters from what an event quotes', () => {
  const stack = 'Error: the model server answered \u001b[2J\u001b]52;c;eA==\u0007\u009b31m\u202e'
  const shown = line({
    msg: 'failed',
    name: '\u001b[2J',
    err: { type: 'Error', message: '', stack },
  })
  expect(shown).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
  expect(shown).toContain('name=\\u001b[2J')
})

test('a line that masking has left without its form is shown as it is', () => {
  expect(lineForPeople('{"msg":"half an escape \\"}\n')).toBe('{"msg":"half an escape \\"}\n')
})
