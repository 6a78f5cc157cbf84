import { describe, expect, test } from 'vitest'
import { createFairSlots } from '#platform/fair-slots/create-fair-slots.ts'
import { beginInTurn } from './begin-in-turn.ts'

const signal = new AbortController().signal

describe('messages of visitors that arrive at the same time', () => {
  test('begin a few at a time, in the order in which they came', async () => {
    const visitorSlots = createFairSlots({ slots: 2, reserved: 0, maxWaiting: 10, maxWaitMs: 1000 })
    const begun: number[] = []
    let [now, most] = [0, 0]
    const message = (n: number) =>
      beginInTurn({ visitorSlots }, 'workspace', signal, async () => {
        begun.push(n)
        most = Math.max(most, (now += 1))
        await new Promise((resolve) => setImmediate(resolve))
        now -= 1
      })
    await Promise.all([1, 2, 3, 4, 5, 6].map(message))
    expect(begun).toEqual([1, 2, 3, 4, 5, 6])
    expect(most).toBe(2)
  })

  test('are never refused: without a slot they begin beside the others', async () => {
    const visitorSlots = createFairSlots({ slots: 1, reserved: 0, maxWaiting: 1, maxWaitMs: 1 })
    const held = Promise.withResolvers<void>()
    const first = beginInTurn({ visitorSlots }, 'workspace', signal, () => held.promise)
    const others = [2, 3].map((n) =>
      beginInTurn({ visitorSlots }, 'workspace', signal, () => Promise.resolve(n)),
    )
    expect(await Promise.all(others)).toEqual([2, 3])
    held.resolve()
    await first
  })

  test('free their slot when they fail', async () => {
    const visitorSlots = createFairSlots({
      slots: 1,
      reserved: 0,
      maxWaiting: 1,
      maxWaitMs: 60_000,
    })
    const failed = beginInTurn({ visitorSlots }, 'workspace', signal, () =>
      Promise.reject(new Error('refused')),
    )
    await expect(failed).rejects.toThrow('refused')
    expect(await beginInTurn({ visitorSlots }, 'workspace', signal, () => Promise.resolve(2))).toBe(
      2,
    )
  })
})
