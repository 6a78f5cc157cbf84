import type { addressFaults } from '#features/api-keys/index.ts'
import type { grantFaults } from '#features/grants/index.ts'
import { worded, type RowsByCode, type RowsByKind, type Without } from '#kernel/fault-table.ts'
import { defineFaults, Fault, withFacts, type commonFaults } from '#kernel/fault.ts'
import type { requestFaults } from '#surfaces/http/request-faults.ts'

/** Faults that the MCP server reports before an operation runs. */
export const mcpFaults = defineFaults({
  /** No bearer token at all. */
  token_missing: 'unauthenticated',
  origin_refused: 'forbidden',
  host_refused: 'forbidden',
  batch_refused: withFacts<{ problem: string }>('invalid'),
  toolset_unknown: withFacts<{ toolset: string; known: readonly string[] }>('invalid'),
})

/** JSON-RPC 2.0 §5.1, and the range it leaves to servers. */
const rpc = {
  parseError: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
} as const

/** The contents of `WWW-Authenticate` (RFC 6750 §3). */
export interface Challenge {
  /** Absent if the request had no credential (§3.1). */
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly description?: string
  readonly scope?: string
}

interface Row {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503
  readonly code: number
  /** The error of the challenge; `none` for a request without a credential. */
  readonly challenges?: Challenge['error'] | 'none'
}

export interface McpFault extends Pick<Row, 'status' | 'code'> {
  readonly message: string
  readonly challenge?: Challenge
}

const invalidToken = { status: 401, code: rpc.refused, challenges: 'invalid_token' } as const
const authenticationRequired = 'Authentication required'

const byKind: RowsByKind<Row> = {
  invalid: { status: 400, code: rpc.invalidRequest, message: 'Invalid request' },
  unauthenticated: { ...invalidToken, message: authenticationRequired },
  expired: { ...invalidToken, message: authenticationRequired },
  forbidden: { status: 403, code: rpc.refused, message: 'Forbidden' },
  not_found: { status: 404, code: rpc.refused, message: 'Not found' },
  conflict: { status: 409, code: rpc.refused, message: 'Conflict' },
  limited: { status: 429, code: rpc.refused, message: 'Rate limit exceeded' },
  too_large: { status: 413, code: rpc.refused, message: 'Request body too large' },
  unavailable: {
    status: 503,
    code: rpc.refused,
    message: 'The service is not ready; try again later',
  },
  internal: { status: 500, code: rpc.internalError, message: 'Internal error' },
}

type HttpFaults = typeof mcpFaults &
  Pick<typeof grantFaults, 'token_malformed' | 'token_unknown' | 'key_expired'> &
  Pick<typeof addressFaults, 'key_address_refused'> &
  Pick<typeof commonFaults, 'scope_missing'> &
  Without<typeof requestFaults, 'cross_site' | 'foreign_cookie' | 'form_stale'>

/** The interface or a decision fixes these statuses and words. */
const byCode: RowsByCode<HttpFaults, Row> = {
  token_missing: {
    message: authenticationRequired,
    challenges: 'none',
  },
  token_malformed: 'Invalid token format',
  token_unknown: authenticationRequired,
  key_expired: 'API key has expired',
  // As for an unknown key: a thief of the key must not learn that it works elsewhere.
  key_address_refused: authenticationRequired,
  scope_missing: {
    message: ({ scope }) => `Scope not authorized: this tool needs ${scope}`,
    challenges: 'insufficient_scope',
  },
  origin_refused:
    'This origin may not call the MCP server; MCP_ALLOWED_ORIGINS names those that may',
  host_refused:
    'This Host is not one of the MCP server; set BASE_URL to the address it is reached at',
  malformed_json: {
    code: rpc.parseError,
    message: 'Parse error: the body is not valid JSON',
  },
  json_refused: ({ problem }) => `The body ${problem}`,
  batch_refused: ({ problem }) => problem,
  toolset_unknown: {
    code: rpc.invalidParams,
    message: ({ toolset, known }) =>
      `There is no toolset ${toolset}; there are ${known.join(', ')}`,
  },
  wrong_content_type: {
    status: 415,
    code: rpc.refused,
    message: 'Content-Type must be application/json',
  },
  body_too_large: ({ maxBytes }) => `The request body is larger than ${maxBytes} bytes`,
  unknown_path: 'There is nothing here: the MCP server is at /mcp',
  method_not_allowed: { status: 405, code: rpc.refused, message: 'Method not allowed: use POST' },
  rate_limited: ({ limit, retryAfterSeconds }) =>
    `Rate limit exceeded: ${limit} requests a minute; try again in ${retryAfterSeconds} s`,
}

/** An error in the form in which the caller gets it over HTTP. */
export function toMcpFault(error: unknown): McpFault {
  const { status, code, message, challenges } = worded<Row>(error, { byKind, byCode })
  if (challenges === undefined) return { status, code, message }
  if (challenges === 'none') return { status, code, message, challenge: {} }
  const scope = error instanceof Fault ? error.facts.scope : undefined
  const challenge = { error: challenges, description: message }
  return {
    status,
    code,
    message,
    challenge: typeof scope === 'string' ? { ...challenge, scope } : challenge,
  }
}
