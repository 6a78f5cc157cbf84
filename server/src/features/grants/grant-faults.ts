import { defineFaults, withFacts } from '#kernel/fault.ts'

export const grantFaults = defineFaults({
  // A bearer credential.
  /** Neither `svc_at_` nor `svc_sk_` and 43 base64url characters. */
  token_malformed: 'unauthenticated',
  /** Well-formed, but unknown, expired, revoked, or for another resource. */
  token_unknown: 'unauthenticated',
  key_expired: 'expired',

  // An authorization request.
  client_unknown: 'unauthenticated',
  redirect_unregistered: 'invalid',
  response_type_unsupported: 'invalid',
  /** No S256 challenge of 43 characters. */
  challenge_required: 'invalid',
  scope_unknown: withFacts<{ scope: string }>('invalid'),
  resource_unknown: 'invalid',

  // Its consent.
  request_unknown: 'not_found',
  request_expired: 'expired',
  request_answered: 'conflict',
  /** The person authorized the client but left no permission checked. */
  nothing_granted: 'invalid',
  /** The form grants more than the client asked for: it was tampered with. */
  more_than_asked: 'forbidden',

  // Its tokens.
  grant_type_unsupported: 'invalid',
  /** The code or refresh token is unknown, expired, used or another client's. */
  grant_invalid: 'invalid',
  /** The refresh asks for more than was granted. */
  scope_widened: 'invalid',

  // Registration.
  redirect_invalid: withFacts<{ problem: string }>('invalid'),
  client_metadata_invalid: withFacts<{ problem: string }>('invalid'),
})
