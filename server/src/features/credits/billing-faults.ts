import { defineFaults } from '#kernel/fault.ts'

export const billingFaults = defineFaults({
  /** The workspace has no credits left for what is asked. */
  credits_used_up: 'limited',
  /** Facts: `subject` (workspace, agent, key, end_user), `period`, `resets_at` (RFC 3339). */
  credit_cap_reached: 'limited',
  /** Only those who run this instance may do it. */
  operator_required: 'forbidden',
  price_pattern_invalid: 'invalid',
})
