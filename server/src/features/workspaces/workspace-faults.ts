import { defineFaults, withFacts } from '#kernel/fault.ts'

export const workspaceFaults = defineFaults({
  /** `resource` is what the plan counts. */
  plan_limit_reached: withFacts<{ resource: string; allowed: number; plan: string }>('limited'),
  /** `name` is the name to repeat. */
  confirm_name_wrong: withFacts<{ name: string }>('invalid'),
  /** The workspace still has a paid subscription. */
  subscription_running: 'conflict',
  /** Without a second factor of their own, the owner would lock themselves out. */
  own_factor_missing: 'conflict',
})
