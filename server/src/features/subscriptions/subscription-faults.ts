import { defineFaults, withFacts } from '#kernel/fault.ts'

export const subscriptionFaults = defineFaults({
  /** The instance sells nothing, or not this. `plan` or `credits` is what the caller named. */
  not_for_sale: withFacts<{ plan?: string; credits?: number }>('invalid'),
  /** The workspace already pays for a plan: the billing portal changes it. */
  subscribed_already: withFacts<{ plan: string }>('conflict'),
  /** The workspace has never bought anything. */
  no_billing_account: 'conflict',
  billing_unavailable: 'unavailable',
})
