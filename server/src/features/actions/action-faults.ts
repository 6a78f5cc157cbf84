import { defineFaults } from '#kernel/fault.ts'

export const actionFaults = defineFaults({
  /** Facts: `issues`. The fields do not fit together. */
  action_invalid: 'invalid',
  /** Facts: `name`. Another action of the agent has it. */
  action_name_taken: 'conflict',
  /** Facts: `allowed`. */
  too_many_actions: 'conflict',
  /** An update that names no field. */
  action_unchanged: 'invalid',
})
