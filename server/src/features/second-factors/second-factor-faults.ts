import { defineFaults, withFacts } from '#kernel/fault.ts'

export const secondFactorFaults = defineFaults({
  /** The code or the passkey's answer is wrong, was used before, or is for another account. */
  factor_wrong: 'invalid',
  /** The passkey's challenge or the new app's secret was answered before, or too late. */
  challenge_expired: 'expired',
  /** Browsers offer passkeys only on https with a host name, and on localhost. */
  passkeys_impossible: 'invalid',
  too_many_factors: withFacts<{ allowed: number }>('conflict'),
  /** The person owns a workspace that requires a second factor of its owners. */
  last_factor_required: withFacts<{ workspace: string }>('conflict'),
  /** The person owns this workspace, which requires a second factor of its owners, and has none. */
  second_factor_required: withFacts<{ workspace: string }>('forbidden'),
})
