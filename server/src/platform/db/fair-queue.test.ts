import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

/** Serves everything that waits, one at a time, at these costs. */
function serveAll(queue: FairQueue<string>, costs: Readonly<Record<string, number>>): string {
  let served = ''
  for (let [item] = queue.take(1); item !== undefined; [item] = queue.take(1)) {
    queue.settle(item, costs[item] ?? 1)
    served += item
  }
  return served
}

function waitingOf(counts: Readonly<Record<string, number>>): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const [tenant, count] of Object.entries(counts))
    for (let n = 0; n < count; n += 1) queue.push(tenant, tenant)
  return queue
}

test('tenants take turns, however many items one of them has', () => {
  expect(serveAll(waitingOf({ a: 6, b: 2, c: 1 }), {})).toBe('abcabaaaa')
})

test('the share counts cost, not items', () => {
  expect(serveAll(waitingOf({ a: 3, b: 8 }), { a: 4, b: 1 })).toBe('abbbbabbbba')
})

test('the items of a tenant keep their order', () => {
  const queue = new FairQueue<number>()
  for (const n of [1, 2, 3, 4]) queue.push('a', n)
  const [first, ...others] = queue.take(3)
  for (const n of others.toReversed()) queue.putBack('a', n)
  expect([first, ...queue.take(9)]).toEqual([1, 2, 3, 4])
  expect(queue.size).toBe(0)
})

test('a newcomer comes next, and collects no share while it is idle', () => {
  const queue = waitingOf({ a: 9 })
  for (let n = 0; n < 4; n += 1) for (const item of queue.take(1)) queue.settle(item, 10)
  for (let n = 0; n < 9; n += 1) queue.push('b', 'b')
  // The last one of a began at 30 and ended at 40, so b has ten ahead.
  expect(serveAll(queue, { a: 10, b: 5 }).slice(0, 8)).toBe('bbabbabb')
})
