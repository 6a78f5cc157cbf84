import { grantFaults } from '#features/grants/index.ts'
import {
  allRows,
  worded,
  type FaultTable,
  type RowsByCode,
  type RowsByKind,
  type Without,
} from '#kernel/fault-table.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { parameterFaults } from './parameters.ts'

/** `error` is a code of RFC 6749 §5.2, RFC 7591 §3.2.2 or RFC 8707 §2. */
interface Row {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503
  readonly error: string
}

const byKind: RowsByKind<Row> = {
  invalid: {
    status: 400,
    error: 'invalid_request',
    message: 'The request is not valid',
  },
  unauthenticated: {
    status: 401,
    error: 'invalid_client',
    message: 'The client is not known here',
  },
  expired: { status: 400, error: 'invalid_grant', message: 'The grant has expired' },
  forbidden: { status: 403, error: 'access_denied', message: 'This is not allowed' },
  not_found: { status: 404, error: 'invalid_request', message: 'There is nothing here' },
  conflict: {
    status: 409,
    error: 'invalid_request',
    message: 'The request was answered already',
  },
  limited: {
    status: 429,
    error: 'temporarily_unavailable',
    message: 'Too many requests; try again later',
  },
  too_large: { status: 413, error: 'invalid_request', message: 'The request is too large' },
  unavailable: {
    status: 503,
    error: 'temporarily_unavailable',
    message: 'The service is not ready; try again later',
  },
  internal: { status: 500, error: 'server_error', message: 'Something went wrong on our side' },
}

/** Faults of bearer tokens and consent forms are answered elsewhere. */
type EndpointFaults = typeof parameterFaults &
  Pick<
    typeof requestFaults,
    'malformed_json' | 'json_refused' | 'wrong_content_type' | 'method_not_allowed' | 'rate_limited'
  > &
  Without<
    typeof grantFaults,
    | 'token_malformed'
    | 'token_unknown'
    | 'key_expired'
    | 'request_unknown'
    | 'request_expired'
    | 'request_answered'
    | 'nothing_granted'
    | 'more_than_asked'
  >

const byCode: RowsByCode<EndpointFaults, Row> = {
  parameter_missing: ({ parameter }) => `${parameter} is missing`,
  parameter_repeated: ({ parameter }) => `${parameter} must be given once`,
  parameter_invalid: ({ parameter }) => `${parameter} must be a string of at most 4096 characters`,
  body_invalid: 'The body must be a form or a JSON object',
  malformed_json: 'The body is not JSON',
  json_refused: ({ problem }) => `The body ${problem}`,
  wrong_content_type: {
    status: 415,
    message: 'Content-Type must be application/json or application/x-www-form-urlencoded',
  },
  method_not_allowed: {
    status: 405,
    message: 'The method is not allowed',
  },
  client_unknown: 'The client is not registered here; register it again',
  client_authentication_unsupported:
    'Clients here are public: send client_id in the body, and no secret',
  redirect_unregistered: 'redirect_uri is not one that the client registered',
  response_type_unsupported: {
    error: 'unsupported_response_type',
    message: 'response_type must be code',
  },
  challenge_required:
    'PKCE is required: code_challenge_method=S256 and a code_challenge of 43 characters',
  scope_unknown: {
    error: 'invalid_scope',
    message: ({ scope }) => `There is no scope ${scope}`,
  },
  scope_widened: {
    error: 'invalid_scope',
    message: 'The scope goes beyond what was granted',
  },
  resource_unknown: {
    error: 'invalid_target',
    message: 'resource must be this service',
  },
  grant_type_unsupported: {
    error: 'unsupported_grant_type',
    message: 'grant_type must be authorization_code or refresh_token',
  },
  grant_invalid: {
    error: 'invalid_grant',
    message:
      'The code or refresh token is unknown, expired, used, or issued for another client or address; authorize again',
  },
  redirect_invalid: {
    error: 'invalid_redirect_uri',
    message: ({ problem }) => problem,
  },
  client_metadata_invalid: {
    error: 'invalid_client_metadata',
    message: ({ problem }) => problem,
  },
  rate_limited: 'Too many requests from this address; try again later',
}

const table: FaultTable<Row> = { byKind, byCode }

/** Every row, for the contract. */
export const oauthRefusals = allRows(table, {
  ...parameterFaults,
  ...requestFaults,
  ...grantFaults,
}).map(({ status, error }) => ({ status, says: error }))

/** An error in the form of RFC 6749 §5.2: printable ASCII without quote and backslash. */
export function toOauthFault(error: unknown): Row & { readonly message: string } {
  const row = worded(error, table)
  const message = row.message.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
  return { ...row, message }
}
