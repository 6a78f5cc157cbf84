import { Fault, type FaultFacts, type FaultKind } from '#kernel/fault.ts'

/** The statuses of the authorization server. */
type OauthStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503

/** An error in the words of RFC 6749 §5.2, RFC 7591 §3.2.2 and RFC 8707 §2. */
export interface OauthFault {
  readonly status: OauthStatus
  readonly error: string
  readonly description: string
  readonly retryAfterSeconds?: number
}

interface Row {
  readonly status: OauthStatus
  readonly error: string
  readonly description: string | ((facts: FaultFacts) => string)
}

/** Every kind has a row: a kind without one does not compile. */
const byKind: Record<FaultKind, Row> = {
  invalid: {
    status: 400,
    error: 'invalid_request',
    description: 'The request is not valid',
  },
  unauthenticated: {
    status: 401,
    error: 'invalid_client',
    description: 'The client is not known here',
  },
  expired: { status: 400, error: 'invalid_grant', description: 'What was granted has expired' },
  forbidden: { status: 403, error: 'access_denied', description: 'This is not allowed' },
  not_found: { status: 404, error: 'invalid_request', description: 'There is nothing here' },
  conflict: {
    status: 409,
    error: 'invalid_request',
    description: 'The request was answered already',
  },
  limited: {
    status: 429,
    error: 'temporarily_unavailable',
    description: 'Too many requests; try again later',
  },
  too_large: { status: 413, error: 'invalid_request', description: 'The request is too large' },
  unavailable: {
    status: 503,
    error: 'temporarily_unavailable',
    description: 'The service is not ready; try again later',
  },
  internal: { status: 500, error: 'server_error', description: 'Something went wrong on our side' },
}

const byCode: Readonly<Record<string, Row>> = {
  parameter_missing: {
    status: 400,
    error: 'invalid_request',
    description: ({ parameter }) => `${String(parameter)} is missing`,
  },
  parameter_repeated: {
    status: 400,
    error: 'invalid_request',
    description: ({ parameter }) => `${String(parameter)} must be given once`,
  },
  parameter_invalid: {
    status: 400,
    error: 'invalid_request',
    description: ({ parameter }) =>
      `${String(parameter)} must be a string of at most 4096 characters`,
  },
  body_invalid: {
    status: 400,
    error: 'invalid_request',
    description: 'The body must be a form or a JSON object',
  },
  malformed_json: { status: 400, error: 'invalid_request', description: 'The body is not JSON' },
  wrong_content_type: {
    status: 415,
    error: 'invalid_request',
    description: 'Content-Type must be application/json or application/x-www-form-urlencoded',
  },
  method_not_allowed: {
    status: 405,
    error: 'invalid_request',
    description: 'The method is not allowed',
  },
  client_unknown: {
    status: 401,
    error: 'invalid_client',
    description: 'The client is not registered here; register it again',
  },
  client_authentication_unsupported: {
    status: 401,
    error: 'invalid_client',
    description: 'Clients here are public: send client_id in the body, and no secret',
  },
  redirect_unregistered: {
    status: 400,
    error: 'invalid_request',
    description: 'redirect_uri is not one that the client registered',
  },
  response_type_unsupported: {
    status: 400,
    error: 'unsupported_response_type',
    description: 'response_type must be code',
  },
  challenge_required: {
    status: 400,
    error: 'invalid_request',
    description:
      'PKCE is required: code_challenge_method=S256 and a code_challenge of 43 characters',
  },
  scope_unknown: {
    status: 400,
    error: 'invalid_scope',
    description: ({ scope }) => `There is no scope ${asciiOnly(String(scope))}`,
  },
  scope_widened: {
    status: 400,
    error: 'invalid_scope',
    description: 'The scope goes beyond what was granted',
  },
  resource_unknown: {
    status: 400,
    error: 'invalid_target',
    description: 'resource must be this service',
  },
  grant_type_unsupported: {
    status: 400,
    error: 'unsupported_grant_type',
    description: 'grant_type must be authorization_code or refresh_token',
  },
  grant_invalid: {
    status: 400,
    error: 'invalid_grant',
    description:
      'The code or refresh token is unknown, expired, used, or made for something else; authorize again',
  },
  redirect_invalid: {
    status: 400,
    error: 'invalid_redirect_uri',
    description: ({ problem }) => asciiOnly(String(problem)),
  },
  client_metadata_invalid: {
    status: 400,
    error: 'invalid_client_metadata',
    description: ({ problem }) => asciiOnly(String(problem)),
  },
  rate_limited: {
    status: 429,
    error: 'temporarily_unavailable',
    description: 'Too many requests from this address; try again later',
  },
}

/** Every row, for the contract. */
export const oauthRefusals = [...Object.values(byKind), ...Object.values(byCode)].map(
  ({ status, error }) => ({ status, says: error }),
)

/** RFC 6749 §5.2: printable ASCII without quote and backslash. */
function asciiOnly(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
}

/** What the client is told; an error that is no Fault tells nothing of itself. */
export function toOauthFault(error: unknown): OauthFault {
  const row = error instanceof Fault ? (byCode[error.code] ?? byKind[error.kind]) : byKind.internal
  const facts = error instanceof Fault ? error.facts : {}
  const { status, error: name, description } = row
  const told = {
    status,
    error: name,
    description: typeof description === 'string' ? description : description(facts),
  }
  const { retryAfterSeconds } = facts
  return typeof retryAfterSeconds === 'number' ? { ...told, retryAfterSeconds } : told
}
