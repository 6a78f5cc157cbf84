import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createFairSlots } from './create-fair-slots.ts'
import { createImportSlots } from './create-import-slots.ts'
import { createModelSlots } from './create-model-slots.ts'
import { createUploadSlots } from './create-upload-slots.ts'
import { createVisitorSlots } from './create-visitor-slots.ts'

const limits = { slots: 4, maxWaiting: 100, maxWaitMs: 60_000 }

const testEnds = new AbortController()
afterAll(() => testEnds.abort())

/** Starts calls of a tenant; each holds its slot until it is told to end. */
function callsOf(slots: ReturnType<typeof createFairSlots>, tenant: string, count: number) {
  const running: (() => void)[] = []
  for (let n = 0; n < count; n += 1)
    slots.acquire(tenant, testEnds.signal).then(
      (release) => running.push(release),
      // Only calls that still wait after the last test are refused.
      (error: unknown) => expect(testEnds.signal.aborted, String(error)).toBe(true),
    )
  return { running }
}

test('a tenant alone takes all slots, and further calls wait', async () => {
  const slots = createFairSlots(limits)
  const alone = callsOf(slots, 'a', 9)
  await setImmediate()
  expect(alone.running).toHaveLength(4)
  alone.running[0]?.()
  await setImmediate()
  expect(alone.running).toHaveLength(5)
})

test('a tenant that holds no slot starts at once, however many calls of another run and wait', async () => {
  const slots = createFairSlots(limits)
  const flood = callsOf(slots, 'a', 50)
  const one = callsOf(slots, 'b', 1)
  await setImmediate()
  expect(flood.running).toHaveLength(4)
  expect(one.running).toHaveLength(1)
})

test('while others wait, a tenant gets no more than half', async () => {
  const slots = createFairSlots({ ...limits, balancing: 4 })
  const flood = callsOf(slots, 'a', 100)
  const others = callsOf(slots, 'b', 100)
  await setImmediate()
  const ended = { flood: 0, others: 0 }
  const held = () => [flood.running.length - ended.flood, others.running.length - ended.others]
  expect(held()).toEqual([4, 4])
  for (let round = 0; round < 40; round += 1) {
    // The oldest call ends, whosever it is.
    const [ours = 0, theirs = 0] = held()
    if (round < 3 || ours > theirs || (ours === theirs && round % 2 === 0))
      flood.running[ended.flood++]?.()
    else others.running[ended.others++]?.()
    await setImmediate()
    const [after = 0, others_ = 0] = held()
    if (round >= 3) expect(Math.abs(after - others_)).toBeLessThanOrEqual(1)
    expect(after + others_).toBeLessThanOrEqual(8)
  }
})

test('a tenant that came later holds as many slots as the one before, which ends no call', async () => {
  const slots = createFairSlots({ ...limits, balancing: 4 })
  const flood = callsOf(slots, 'a', 50)
  await setImmediate()
  const later = callsOf(slots, 'b', 50)
  await setImmediate()
  expect([flood.running.length, later.running.length]).toEqual([4, 4])
  const newcomers = ['c', 'd', 'e'].map((tenant) => callsOf(slots, tenant, 2))
  await setImmediate()
  // The slots for tenants that hold none.
  expect(newcomers.map(({ running }) => running.length)).toEqual([1, 1, 0])
  flood.running[0]?.()
  await setImmediate()
  expect(flood.running).toHaveLength(4)
})

test.each([
  [
    'imports',
    () => createImportSlots({ importsAtOnce: 2, importsWaiting: 9, importWaitMs: 60_000 }),
  ],
  [
    'uploads',
    () => createUploadSlots({ chatUploadsAtOnce: 2, importsWaiting: 9, importWaitMs: 60_000 }),
  ],
  ['messages of visitors', () => createVisitorSlots({ visitorMessagesAtOnce: 2 })],
  [
    'calls of models',
    () => createModelSlots({ modelCallsAtOnce: 2, modelCallsWaiting: 9, modelCallWaitMs: 60_000 }),
  ],
])('no workspace has more than half of the %s while another waits', async (_, create) => {
  const slots = create()
  const held = { a: 0, b: 0 }
  for (const tenant of ['a', 'a', 'a', 'b', 'b', 'b'] as const)
    void slots.acquire(tenant).then(
      () => (held[tenant] += 1),
      () => undefined,
    )
  await setImmediate()
  expect(held).toEqual({ a: 2, b: 2 })
})

test('a slot is returned once', async () => {
  const slots = createFairSlots({ ...limits, slots: 1 })
  const release = await slots.acquire('a')
  release()
  release()
  await slots.acquire('a')
  const second = callsOf(slots, 'a', 1)
  await setImmediate()
  expect(second.running).toHaveLength(0)
})

test('too many waiting calls of a tenant are refused, and others are not', async () => {
  const slots = createFairSlots({ ...limits, slots: 1, maxWaiting: 2 })
  const flood = callsOf(slots, 'a', 3)
  await setImmediate()
  expect(flood.running).toHaveLength(1)
  await expect(slots.acquire('a')).rejects.toMatchObject({ name: 'SlotsBusy' })
  await slots.acquire('b')
})

test('a call does not wait longer than its deadline', async () => {
  const slots = createFairSlots({ ...limits, slots: 1, maxWaitMs: 5 })
  await slots.acquire('a')
  await expect(slots.acquire('a')).rejects.toMatchObject({ name: 'SlotsBusy' })
})

test('a call whose client disconnects leaves the queue', async () => {
  const slots = createFairSlots({ ...limits, slots: 1 })
  const release = await slots.acquire('a')
  const gone = new AbortController()
  const waiting = slots.acquire('a', gone.signal)
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  const next = callsOf(slots, 'a', 1)
  release()
  await setImmediate()
  expect(next.running).toHaveLength(1)
})
