import { defineFaults, Fault, withFacts } from '#kernel/fault.ts'
import type { Http } from '#surfaces/http/environment.ts'

/** The supported versions of the protocol, newest first. */
export const supportedVersions = ['2026-04-17'] as const

/**
 * The protocol requires the header `API-Version`, which the interface does not have. Requests with
 * it are `strict` (the protocol), those without it `plain` (the interface).
 */
export type Dialect = 'plain' | 'strict'

export const dialectFaults = defineFaults({
  /** The header is present but empty. */
  missing_api_version: 'invalid',
  unsupported_api_version: withFacts<{ given: string }>('invalid'),
  idempotency_key_required: 'invalid',
  /** Longer than 255 characters. */
  idempotency_key_invalid: 'invalid',
})

export function dialectOf(c: Http): Dialect {
  return c.req.header('api-version') === undefined ? 'plain' : 'strict'
}

/** @throws Fault missing_api_version, unsupported_api_version */
export function requireVersion(c: Http): void {
  const given = c.req.header('api-version')
  if (given === undefined || supportedVersions.some((version) => version === given)) return
  if (given.trim() === '') throw new Fault(dialectFaults.missing_api_version)
  throw new Fault(dialectFaults.unsupported_api_version, { given: given.slice(0, 40) })
}

/**
 * The client's key for its request. The protocol requires one with every POST; plain requests may
 * omit it.
 *
 * @throws Fault idempotency_key_required, idempotency_key_invalid
 */
export function idempotencyKey(c: Http): string | null {
  const given = c.req.header('idempotency-key')
  if (given === undefined || given === '') {
    if (dialectOf(c) === 'plain') return null
    throw new Fault(dialectFaults.idempotency_key_required)
  }
  if (given.length > 255) throw new Fault(dialectFaults.idempotency_key_invalid)
  return given
}
