import { defineFaults, withFacts } from '#kernel/fault.ts'

export const analyticsFaults = defineFaults({
  range_invalid: withFacts<{ most_days: number }>('invalid'),
  time_zone_unknown: withFacts<{ time_zone: string }>('invalid'),
  /** The conversation has no answer yet. */
  nothing_to_rate: 'conflict',
})
