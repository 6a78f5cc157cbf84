import { defineFaults } from '#kernel/fault.ts'

export const analyticsFaults = defineFaults({
  /** Facts: `most_days`. */
  range_invalid: 'invalid',
  /** Facts: `time_zone`. */
  time_zone_unknown: 'invalid',
  /** The conversation has no answer yet. */
  nothing_to_rate: 'conflict',
})
