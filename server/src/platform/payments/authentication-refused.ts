import type { Authentication } from './payments.ts'

const refusals: ReadonlySet<string> = new Set(['denied', 'rejected', 'canceled', 'abandoned'])

/**
 * Whether the issuer or the buyer said no (protocol: AuthenticationResult). Then nothing is charged,
 * also where no charge was waiting for the answer.
 */
export function isAuthenticationRefused(authentication: Authentication | null): boolean {
  return authentication !== null && refusals.has(authentication.outcome)
}
