import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CpuSlice } from './cpu-slice.ts'
import { hasMoreParts } from './json.ts'
import { visitInSlices } from './visit-in-slices.ts'

// Work takes as long as it says, also on a machine with other work.
let now = 0
beforeEach(() => vi.spyOn(performance, 'now').mockImplementation(() => now))
afterEach(() => vi.restoreAllMocks())

function workFor(ms: number): void {
  now += ms
}

test('slices that follow each other within a turn count as one', async () => {
  await setImmediate()
  const parsing = new CpuSlice()
  workFor(3)
  expect(parsing.isOver).toBe(false)
  const checking = new CpuSlice()
  workFor(3)
  expect(checking.isOver).toBe(true)
  await setImmediate()
  expect(new CpuSlice().isOver).toBe(false)
})

/** @returns in which turn of the event loop each of the slices that wait begins */
async function turnsOf(count: number, work: () => void): Promise<number[]> {
  const loop = { turn: 0, begun: 0 }
  const slices = Array.from({ length: count }, async () => {
    const slice = new CpuSlice()
    await slice.next()
    loop.begun += 1
    work()
    return loop.turn
  })
  for (; loop.begun < count; loop.turn += 1) await setImmediate()
  return await Promise.all(slices)
}

test('a slice with little to do is not over because others have used up the turn', async () => {
  await setImmediate()
  const long = new CpuSlice()
  workFor(6)
  expect(long.isOver).toBe(true)
  const short = new CpuSlice(1)
  expect(short.isOver).toBe(false)
  workFor(2)
  expect(short.isOver).toBe(true)
})

test('short slices that wait begin in the same turn', async () => {
  const turns = await turnsOf(1000, () => {})
  expect(Math.max(...turns)).toBeLessThan(20)
})

test('a long slice is the only one of its turn', async () => {
  const turns = await turnsOf(5, () => workFor(6))
  expect(new Set(turns).size).toBe(5)
})

test('a long list is counted by its length', () => {
  const list = new Proxy(Array.from({ length: 10 }), {
    ownKeys() {
      throw new Error('the keys of a list of a million values take 20 ms')
    },
  })
  expect(hasMoreParts({ list }, 10)).toBe(true)
  expect(hasMoreParts({ list }, 11)).toBe(false)
})

test('a long list is visited without being copied', async () => {
  let read = 0
  const list = new Proxy(
    Array.from({ length: 1000 }, () => 'x'),
    {
      get(target, key, receiver) {
        if (key !== 'length') read += 1
        return Reflect.get(target, key, receiver)
      },
    },
  )
  const ahead: number[] = []
  const visited: unknown[] = []
  await visitInSlices({ list, last: ['y'] }, (part) => {
    visited.push(part)
    ahead.push(read - visited.filter((one) => one === 'x').length)
  })
  expect(Math.max(...ahead)).toBe(0)
  expect(visited).toEqual([{ list, last: ['y'] }, 'list', list, ...list, 'last', ['y'], 'y'])
})
