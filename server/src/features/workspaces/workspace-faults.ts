import { defineFaults } from '#kernel/fault.ts'

export const workspaceFaults = defineFaults({
  /** Facts: `resource` (what is counted), `allowed`, `plan`. */
  plan_limit_reached: 'limited',
})
