import { defineFaults } from '#kernel/fault.ts'

export const billingFaults = defineFaults({
  /** The workspace has no credits left for what is asked. */
  credits_used_up: 'limited',
  /** Facts: `subject` (workspace, agent, key, end_user), `period`, `resets_at` (RFC 3339). */
  credit_cap_reached: 'limited',
  /** Only those who run this instance may do it. */
  operator_required: 'forbidden',
  price_pattern_invalid: 'invalid',
  /** Nothing is sold here, or not this. Facts: `plan` or `credits`, where one was named. */
  not_for_sale: 'invalid',
  /** Facts: `plan`. The workspace pays for a plan already: the portal changes it. */
  subscribed_already: 'conflict',
  /** The workspace has never bought anything. */
  no_billing_account: 'conflict',
  billing_unavailable: 'unavailable',
})
