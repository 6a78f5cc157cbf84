import { expect, test } from 'vitest'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { createLogger } from './log.ts'
import { createOutageFilter } from './log-outages.ts'

const lost = () => new Fault(commonFaults.database_unavailable)

test('an outage of the database is one line of the log, however many requests fail', () => {
  const lines: string[] = []
  const log = createLogger({ logLevel: 'info' }, { write: (line) => lines.push(line) })
  log.error({ err: lost() }, 'request failed')
  log.error({ err: lost() }, 'request failed')
  log.warn({ err: new Error('a job failed', { cause: lost() }) }, 'a job failed')
  log.error({ err: new Error('something else') }, 'request failed')
  log.info('a line without an error')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'request failed',
    'request failed',
    'a line without an error',
  ])
})

test('the next outage, half a minute after the last failure, is another line', () => {
  let now = 0
  const isRepeat = createOutageFilter(() => now)
  const after = (milliseconds: number) => {
    now += milliseconds
    return isRepeat({ err: lost() })
  }
  expect([0, 20_000, 20_000, 40_000, 1_000].map(after)).toEqual([false, true, true, false, true])
})
