import { defineFaults, Fault } from '#kernel/fault.ts'

export const apiKeyFaults = defineFaults({ key_expiry_invalid: 'invalid' })

const day = 24 * 60 * 60 * 1000

/** The interface's choices, in milliseconds (interface: Limits). */
const lifetimes = { '30d': 30 * day, '90d': 90 * day, '1y': 365 * day, never: null } as const

export type KeyLifetime = keyof typeof lifetimes
export const keyLifetimes = ['30d', '90d', '1y', 'never'] as const satisfies KeyLifetime[]

/** How long a key lives: one of the choices, or until a moment (epoch milliseconds); not both. */
export interface KeyExpiry {
  readonly expiresIn?: KeyLifetime | undefined
  readonly expiresAt?: number | undefined
}

/**
 * When a key made now ends, as epoch milliseconds; null is never, the default.
 *
 * @throws Fault key_expiry_invalid for both choices at once, or a moment that has passed
 */
export function keyEnd({ expiresIn, expiresAt }: KeyExpiry, now: number): number | null {
  if (expiresAt === undefined) {
    const lifetime = lifetimes[expiresIn ?? 'never']
    return lifetime === null ? null : now + lifetime
  }
  if (expiresIn === undefined && expiresAt > now) return expiresAt
  throw new Fault(apiKeyFaults.key_expiry_invalid)
}
