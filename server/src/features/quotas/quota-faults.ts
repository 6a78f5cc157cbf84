import { defineFaults, withFacts } from '#kernel/fault.ts'

export const quotaFaults = defineFaults({
  /** `limit` is a name of `kernel/limits.ts`; `things` are what it counts for each `per`. */
  limit_reached: withFacts<{ limit: string; things: string; per: string; allowed: number }>(
    'limited',
  ),
})
