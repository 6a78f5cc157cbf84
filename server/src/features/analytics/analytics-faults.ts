import { defineFaults } from '#kernel/fault.ts'

export const analyticsFaults = defineFaults({
  /** Facts: `most_days`. */
  range_invalid: 'invalid',
})
