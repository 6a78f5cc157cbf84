import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { announceRelease, sleepUntilRelease } from './session-wake.ts'

const long = 60_000

test('a sleeper wakes at a release, at the end of its time, and when its caller hangs up', async () => {
  const caller = new AbortController()
  const released = sleepUntilRelease('a session', long, caller.signal)
  announceRelease('a session')
  await released
  await sleepUntilRelease('a session', 1, caller.signal)
  const left = sleepUntilRelease('a session', long, caller.signal)
  caller.abort()
  await left
})

test('however often a turn looks whether it is next, its caller’s signal holds nothing of it', async () => {
  const { signal } = new AbortController()
  for (let round = 0; round < 5; round += 1) await sleepUntilRelease('a session', 1, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
