import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ReadSchedule } from './read-schedule.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A schedule with that many streams, and when each of them was read. */
function setUp(count: number, longestMs = 100) {
  const schedule = new ReadSchedule(longestMs)
  const streams = Array.from({ length: count }, () => {
    const readAt: number[] = []
    schedule.join()
    return { readAt, read: () => void readAt.push(performance.now()) }
  })
  return { schedule, streams, begunAt: performance.now() }
}

it('The interval grows with the number of streams, up to the longest', () => {
  const intervals = [0, 32, 33, 100, 200, 1000].map((count) => setUp(count).schedule.intervalMs)
  expect(intervals).toEqual([0, 0, 16.5, 50, 100, 100])
  expect(setUp(1000, 30).schedule.intervalMs).toBe(30)
  expect(setUp(1000, 0).schedule.intervalMs).toBe(0)
})

it('Each read begins when its interval is over, and those that are due soon begin with it', () => {
  const { schedule, streams, begunAt } = setUp(200)
  const [first, soon, late] = streams
  if (first === undefined || soon === undefined || late === undefined) return expect.unreachable()
  schedule.wait(first)
  vi.advanceTimersByTime(4)
  schedule.wait(soon)
  vi.advanceTimersByTime(46)
  schedule.wait(late)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(49)
  expect(first.readAt).toEqual([])
  vi.advanceTimersByTime(100)
  expect([first, soon, late].map(({ readAt }) => readAt.map((at) => at - begunAt))).toEqual([
    [100],
    [100],
    [150],
  ])
})

it('No timer runs when no stream waits', () => {
  const { schedule, streams } = setUp(40)
  for (const stream of streams) schedule.wait(stream)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(20)
  expect(streams.every(({ readAt }) => readAt.length === 1)).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it('A stream that ends is not read any more, and the last one stops the timer', () => {
  const { schedule, streams } = setUp(40)
  for (const stream of streams) schedule.wait(stream)
  for (const stream of streams) schedule.leave(stream)
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(200)
  expect(streams.flatMap(({ readAt }) => readAt)).toEqual([])
  expect(schedule.intervalMs).toBe(0)
})

it('A stream that ends while others are read does not disturb them', () => {
  const { schedule, streams } = setUp(40)
  for (const stream of streams) schedule.wait(stream)
  const [first, second] = streams
  if (first === undefined || second === undefined) return expect.unreachable()
  first.read = () => {
    schedule.leave(second)
    return undefined
  }
  vi.advanceTimersByTime(20)
  expect(streams.map(({ readAt }) => readAt.length)).toEqual([0, 0, ...Array(38).fill(1)])
})
