import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { tallies } from '#kernel/tallies.ts'
import { until } from '#test/support/until.ts'
import { createAdmission } from './create-admission.ts'

const lines: { msg: string; refused?: number }[] = []
const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
const refusal = { code: 'overloaded', kind: 'unavailable', facts: { retryAfterSeconds: 2 } }

beforeEach(() => void lines.splice(0))

function keepBusy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('requests are refused while too many wait, and accepted when one is answered', async () => {
  const limits = { shedEventLoopDelayMs: null, shedWaitingRequests: 2 }
  const admission = createAdmission(limits, log)
  const before = tallies.shed.values.get('chat') ?? 0
  const answers = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const waiting = answers.map(({ promise }) => admission.track(() => promise))
  expect(() => admission.admit('chat')).toThrow(expect.objectContaining(refusal))
  expect(() => admission.admit('chat')).toThrow(expect.objectContaining(refusal))
  answers[0]?.resolve()
  await waiting[0]
  admission.admit('chat')
  expect(tallies.shed.values.get('chat')).toBe(before + 2)
  await until('the end is logged', () => lines.length === 2)
  expect(lines).toMatchObject([
    { msg: 'overloaded: new requests get 503', waiting: 3 },
    { msg: 'no longer overloaded: all requests are accepted', refused: 2 },
  ])
  answers.forEach(({ resolve }) => resolve())
})

test('requests are refused while the event loop is late again and again, and accepted soon after', async () => {
  const admission = createAdmission({ shedEventLoopDelayMs: 150, shedWaitingRequests: null }, log)
  const isRefused = () => {
    try {
      admission.admit('chat')
      return false
    } catch (error) {
      expect(error).toMatchObject(refusal)
      return true
    }
  }
  expect(isRefused()).toBe(false)
  keepBusy(400)
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(isRefused(), 'one long delay alone').toBe(false)
  await until('requests are refused', () => {
    keepBusy(400)
    return isRefused()
  })
  await until('requests are accepted', () => !isRefused(), { patienceMs: 10_000, everyMs: 20 })
})

test('nothing is refused without limits, and nothing is measured without requests', async () => {
  const admission = createAdmission({ shedEventLoopDelayMs: null, shedWaitingRequests: null }, log)
  await admission.track(async () => keepBusy(200))
  admission.admit('chat')
  expect(lines).toEqual([])
})
