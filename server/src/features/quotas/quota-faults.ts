import { defineFaults, withFacts } from '#kernel/fault.ts'

export const quotaFaults = defineFaults({
  /** `limit` is a name of `kernel/limits.ts`; `things` are what it counts for each `per`. */
  limit_reached: withFacts<{ limit: string; things: string; per: string; allowed: number }>(
    'limited',
  ),
  /** `CHANGES_PER_DAY` changes of the workspace were made in the last day. */
  changes_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
})
