import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CpuSlice, haveSlicesUsedTurn, nextUrgentSlice, noteWork } from './cpu-slice.ts'
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
  await turnEnds()
  expect(new CpuSlice().isOver).toBe(false)
})

/** Slices that wait are resumed at the end of a turn, and what ran before them belongs to it. */
async function turnEnds(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** @returns in which turn of the event loop, counted from the next one, a slice that waits begins */
async function turnOfNext(before: () => void = () => {}): Promise<number> {
  const loop = { turn: 0, begun: -1 }
  const slice = new CpuSlice()
  const waits = slice.next().then(() => (loop.begun = loop.turn))
  for (; loop.begun === -1; loop.turn += 1) {
    before()
    await setImmediate()
  }
  await waits
  await turnEnds()
  return loop.begun
}

test('slices leave out a turn that other work has used, but not all of them', async () => {
  await turnEnds()
  expect(await turnOfNext()).toBe(0)
  const once = [6]
  const began = await turnOfNext(() => {
    const from = now
    workFor(once.pop() ?? 0)
    noteWork(from)
  })
  expect(began).toBe(1)
  const always = await turnOfNext(() => {
    const from = now
    workFor(6)
    noteWork(from)
  })
  expect(always).toBe(3)
})

test('a short piece of other work does not use up a turn', async () => {
  await turnEnds()
  const began = await turnOfNext(() => {
    const from = now
    workFor(3)
    noteWork(from)
  })
  expect(began).toBe(0)
})

test('other work learns of the slices that have used a turn, not of itself', async () => {
  await turnEnds()
  const from = now
  workFor(6)
  noteWork(from)
  expect(haveSlicesUsedTurn()).toBe(false)
  await turnEnds()
  const slice = new CpuSlice()
  workFor(6)
  expect(slice.isOver).toBe(true)
  expect(haveSlicesUsedTurn()).toBe(true)
  await turnEnds()
  expect(haveSlicesUsedTurn()).toBe(false)
})

test('urgent work is resumed first, and takes turns with slices', async () => {
  await turnEnds()
  const order: string[] = []
  const run = async (name: string, next: () => Promise<void>) => {
    for (let n = 0; n < 3; n += 1) {
      await next()
      order.push(name)
      workFor(6)
    }
  }
  const slice = new CpuSlice()
  await Promise.all([run('slice', () => slice.next()), run('urgent', nextUrgentSlice)])
  expect(order).toEqual(['urgent', 'slice', 'urgent', 'slice', 'urgent', 'slice'])
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
  await turnEnds()
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
