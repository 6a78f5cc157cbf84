import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { sessionReleases, sleepUntilRelease } from './session-lease.ts'

const long = 60_000

test('a waiting turn wakes on a release, on its timeout, and when its client disconnects', async () => {
  const caller = new AbortController()
  const released = sleepUntilRelease('a session', long, caller.signal)
  sessionReleases.emit('a session')
  await released
  await sleepUntilRelease('a session', 1, caller.signal)
  const left = sleepUntilRelease('a session', long, caller.signal)
  caller.abort()
  await left
})

test('a wait leaves no listener behind', async () => {
  const { signal } = new AbortController()
  for (let round = 0; round < 5; round += 1) await sleepUntilRelease('a session', 1, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(sessionReleases.listenerCount('a session')).toBe(0)
})
