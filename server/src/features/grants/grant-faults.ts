import { defineFaults } from '#kernel/fault.ts'

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
  /** Facts: `scope`. */
  scope_unknown: 'invalid',
  resource_unknown: 'invalid',

  // Its consent.
  request_unknown: 'not_found',
  request_expired: 'expired',
  request_answered: 'conflict',
  /** Authorized, but every permission was unchecked. */
  nothing_granted: 'invalid',
  /** What was granted was not asked for: the form was tampered with. */
  more_than_asked: 'forbidden',

  // Its tokens.
  grant_type_unsupported: 'invalid',
  /** A code or refresh token that gives nothing: unknown, expired, used, another client's. */
  grant_invalid: 'invalid',
  /** A refresh that asks for more than was granted. */
  scope_widened: 'invalid',

  // Registration. Facts: `problem`.
  redirect_invalid: 'invalid',
  client_metadata_invalid: 'invalid',
})
