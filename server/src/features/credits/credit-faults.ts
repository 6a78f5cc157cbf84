import { defineFaults, withFacts } from '#kernel/fault.ts'

export const creditFaults = defineFaults({
  /** The workspace has too few credits left. */
  credits_used_up: 'limited',
  /** `subject` is workspace, agent, key or end_user; `resets_at` is a time of RFC 3339. */
  credit_cap_reached: withFacts<{ subject: string; period: string; resets_at: string }>('limited'),
  /** Only an operator of the instance may do this. */
  operator_required: 'forbidden',
  price_pattern_invalid: withFacts<{ pattern: string }>('invalid'),
})
