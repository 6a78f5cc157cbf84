import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFairSlots } from '#platform/fair-slots/create-fair-slots.ts'
import { ConflictLanes } from './postgres-lanes.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const oneSlot = () => createFairSlots({ slots: 1, reserved: 0, maxWaiting: 2, maxWaitMs: 100 })

/** Whether a promise has resolved by the next turn of the event loop. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(() => resolve('turn')))
  return (await Promise.race([promise, turn])) !== 'turn'
}

test('a tenant without a conflict has no lane', async () => {
  const lanes = new ConflictLanes(oneSlot)
  lanes.narrow('')
  lanes.narrow('other')
  for (const tenant of ['', '', 'one', 'one']) expect(await isDone(lanes.enter(tenant))).toBe(true)
})

test('after a conflict, each waits for the one before, for a second after the last conflict', async () => {
  const lanes = new ConflictLanes(oneSlot)
  lanes.narrow('one')
  const leave = await lanes.enter('one')
  const second = lanes.enter('one')
  expect(await isDone(second)).toBe(false)
  leave()
  const leaveSecond = await second
  vi.advanceTimersByTime(900)
  lanes.narrow('one')
  vi.advanceTimersByTime(900)
  const third = lanes.enter('one')
  expect(await isDone(third)).toBe(false)
  vi.advanceTimersByTime(100)
  expect(await isDone(lanes.enter('one'))).toBe(true)
  leaveSecond()
  expect(await isDone(third)).toBe(true)
})

test('a lane that is left open too long refuses further callers', async () => {
  const lanes = new ConflictLanes(oneSlot)
  lanes.narrow('one')
  await lanes.enter('one')
  const waiting = [lanes.enter('one'), lanes.enter('one')]
  const refused = expect(lanes.enter('one')).rejects.toThrow('too many calls wait')
  const late = waiting.map((waiter) =>
    expect(waiter).rejects.toThrow('no slot became free in time'),
  )
  await Promise.all([refused, ...late])
})
