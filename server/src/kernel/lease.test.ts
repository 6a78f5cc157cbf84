import { expect, test } from 'vitest'
import { dayMs } from './durations.ts'
import { isLeaseLive } from './lease.ts'

const now = 1_790_000_000_000

test.each([
  [now - 1, false],
  [now, false],
  [now + 1, true],
  [now + 5_000 + 60_000, true],
  [now + 5_000 + 60_001, false],
  [now + dayMs, false],
])('a lease of five seconds that ends at %i is live: %s', (endsAt, isLive) => {
  expect(isLeaseLive(endsAt, now, 5_000)).toBe(isLive)
})
