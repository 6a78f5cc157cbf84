import { defineFaults } from '#kernel/fault.ts'

export const workspaceFaults = defineFaults({
  /** Facts: `resource` (what is counted), `allowed`, `plan`. */
  plan_limit_reached: 'limited',
  /** Facts: `name`, the name to repeat. */
  confirm_name_wrong: 'invalid',
  /** It is still being paid for. */
  subscription_running: 'conflict',
})
