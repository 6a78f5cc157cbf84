import type { buildConnector } from 'undici'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { connectInSteps } from './connect-in-steps.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function setUp() {
  const begun: string[] = []
  const connect = connectInSteps(({ hostname }) => void begun.push(hostname))
  const begin = (count: number, name: string) => {
    for (let n = 0; n < count; n += 1) connect(options(`${name}${n}`), () => undefined)
  }
  return { begun, begin }
}

const options = (hostname: string): buildConnector.Options => ({
  hostname,
  protocol: 'http:',
  port: '80',
})

it('A thousand connections at once begin in steps, each once and in order', () => {
  const { begun, begin } = setUp()
  begin(1000, 'host')
  expect(begun).toHaveLength(120)
  vi.advanceTimersByTime(10)
  expect(begun).toHaveLength(240)
  vi.advanceTimersByTime(100)
  expect(begun).toEqual(Array.from({ length: 1000 }, (_, n) => `host${n}`))
  vi.advanceTimersByTime(100)
  expect(vi.getTimerCount()).toBe(0)
})

it('Connections that begin later do not overtake those that wait', () => {
  const { begun, begin } = setUp()
  begin(130, 'early')
  vi.advanceTimersByTime(5)
  begin(1, 'late')
  expect(begun).not.toContain('late0')
  vi.advanceTimersByTime(5)
  expect(begun.slice(-2)).toEqual(['early129', 'late0'])
})

it('A few connections begin at once, at any time', () => {
  const { begun, begin } = setUp()
  for (let turn = 0; turn < 5; turn += 1) {
    begin(100, `turn${turn}-`)
    expect(begun).toHaveLength(100 * (turn + 1))
    vi.advanceTimersByTime(10)
  }
})
