import { defineFaults, withFacts } from '#kernel/fault.ts'

export const actionFaults = defineFaults({
  /** The fields contradict one another. */
  action_invalid: withFacts<{ issues: readonly string[] }>('invalid'),
  /** Another action of the agent has this name. */
  action_name_taken: withFacts<{ name: string }>('conflict'),
  too_many_actions: withFacts<{ allowed: number }>('conflict'),
  /** The update names no field. */
  action_unchanged: 'invalid',
})
