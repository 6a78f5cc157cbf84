import { dayMs } from '#kernel/durations.ts'
import { defineFaults, Fault } from '#kernel/fault.ts'

export const apiKeyFaults = defineFaults({ key_expiry_invalid: 'invalid' })

/** The choices of the interface, in milliseconds (interface: Limits). */
const lifetimes = { '30d': 30 * dayMs, '90d': 90 * dayMs, '1y': 365 * dayMs, never: null } as const

type KeyLifetime = keyof typeof lifetimes
export const keyLifetimes = ['30d', '90d', '1y', 'never'] as const satisfies KeyLifetime[]

/** A lifetime or an end (epoch milliseconds), not both. */
export interface KeyExpiry {
  readonly expiresIn?: KeyLifetime | undefined
  readonly expiresAt?: number | undefined
}

/**
 * When a key created now expires: epoch milliseconds; null for never, the default.
 *
 * @throws Fault key_expiry_invalid if both are given, or the end is in the past
 */
export function keyEnd({ expiresIn, expiresAt }: KeyExpiry, now: number): number | null {
  if (expiresAt === undefined) {
    const lifetime = lifetimes[expiresIn ?? 'never']
    return lifetime === null ? null : now + lifetime
  }
  if (expiresIn === undefined && expiresAt > now) return expiresAt
  throw new Fault(apiKeyFaults.key_expiry_invalid)
}
