import { Fault, type FaultFacts, type FaultKind } from '#kernel/fault.ts'

/** JSON-RPC 2.0 §5.1, and the range it leaves to servers. */
const rpc = {
  parseError: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
} as const

type McpStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503

/** What `WWW-Authenticate` says (RFC 6750 §3). */
export interface Challenge {
  /** Absent where the request had no credential: then there is nothing wrong with it (§3.1). */
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly description?: string
  readonly scope?: string
}

export interface McpFault {
  readonly status: McpStatus
  readonly code: number
  readonly message: string
  readonly challenge?: Challenge
  readonly retryAfterSeconds?: number
}

interface Row {
  readonly status: McpStatus
  readonly code: number
  readonly message: string | ((facts: FaultFacts) => string)
  readonly challenge?: (facts: FaultFacts, message: string) => Challenge
}

/** The interface's names of what a client sees. */
const authenticationRequired = 'Authentication required'
const invalidTokenFormat = 'Invalid token format'
const scopeNotAuthorized = 'Scope not authorized'

function invalidToken(message: string): Row {
  const challenge = () => ({ error: 'invalid_token', description: message }) as const
  return { status: 401, code: rpc.refused, message, challenge }
}

/** Every kind has a row: a kind without one does not compile. */
const byKind: Record<FaultKind, Row> = {
  invalid: { status: 400, code: rpc.invalidRequest, message: 'Invalid request' },
  unauthenticated: invalidToken(authenticationRequired),
  expired: invalidToken(authenticationRequired),
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

/** Rows per code, where the interface or a decision pins status and wording. */
const byCode: Readonly<Record<string, Row>> = {
  token_missing: {
    status: 401,
    code: rpc.refused,
    message: authenticationRequired,
    challenge: () => ({}),
  },
  token_malformed: invalidToken(invalidTokenFormat),
  token_unknown: invalidToken(authenticationRequired),
  key_expired: invalidToken('API key has expired'),
  scope_missing: {
    status: 403,
    code: rpc.refused,
    message: ({ scope }) => `${scopeNotAuthorized}: this tool needs ${String(scope)}`,
    challenge: ({ scope }, description) => ({
      error: 'insufficient_scope',
      description,
      scope: String(scope),
    }),
  },
  origin_refused: {
    status: 403,
    code: rpc.refused,
    message: 'This origin may not call the MCP server; MCP_ALLOWED_ORIGINS names those that may',
  },
  host_refused: {
    status: 403,
    code: rpc.refused,
    message: 'This Host is not one of the MCP server; set BASE_URL to the address it is reached at',
  },
  malformed_json: {
    status: 400,
    code: rpc.parseError,
    message: 'Parse error: the body is not valid JSON',
  },
  nested_too_deeply: {
    status: 400,
    code: rpc.invalidRequest,
    message: ({ levels }) => `The body is nested deeper than ${String(levels)} levels`,
  },
  batch_refused: {
    status: 400,
    code: rpc.invalidRequest,
    message: ({ problem }) => String(problem),
  },
  toolset_unknown: {
    status: 400,
    code: rpc.invalidParams,
    message: ({ toolset, known }) =>
      `There is no toolset ${String(toolset)}; there are ${Array.isArray(known) ? known.join(', ') : ''}`,
  },
  wrong_content_type: {
    status: 415,
    code: rpc.refused,
    message: 'Content-Type must be application/json',
  },
  body_too_large: {
    status: 413,
    code: rpc.refused,
    message: ({ maxBytes }) => `The request body is larger than ${String(maxBytes)} bytes`,
  },
  unknown_path: {
    status: 404,
    code: rpc.refused,
    message: 'There is nothing here: the MCP server is at /mcp',
  },
  method_not_allowed: { status: 405, code: rpc.refused, message: 'Method not allowed: use POST' },
  rate_limited: {
    status: 429,
    code: rpc.refused,
    message: ({ limit, retryAfterSeconds }) =>
      `Rate limit exceeded: ${String(limit)} requests a minute; try again in ${String(retryAfterSeconds)} s`,
  },
}

const unknownError: McpFault = { status: 500, code: rpc.internalError, message: 'Internal error' }

/** What the caller is told over HTTP; an error that is no Fault tells nothing of itself. */
export function toMcpFault(error: unknown): McpFault {
  if (!(error instanceof Fault)) return unknownError
  const { status, code, message, challenge } = byCode[error.code] ?? byKind[error.kind]
  const text = typeof message === 'string' ? message : message(error.facts)
  const retry = error.facts.retryAfterSeconds
  return {
    status,
    code,
    message: text,
    ...(challenge === undefined ? {} : { challenge: challenge(error.facts, text) }),
    ...(typeof retry === 'number' ? { retryAfterSeconds: retry } : {}),
  }
}
