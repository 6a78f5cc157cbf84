import { Fault, type FaultFacts, type FaultKind } from '#kernel/fault.ts'
import { supportedVersions, type Dialect } from './dialect.ts'

type AcpStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503

/** The protocol's types of error; a row without one takes it from its status. */
type ErrorType = 'invalid_request' | 'processing_error' | 'service_unavailable'

interface Row {
  readonly status: AcpStatus
  readonly code: string
  readonly message: string | ((facts: FaultFacts) => string)
}

/** Every kind has a row: a kind without one does not compile. */
const byKind: Record<FaultKind, Row> = {
  invalid: { status: 400, code: 'invalid_request', message: 'The request is not valid' },
  unauthenticated: { status: 401, code: 'unauthorized', message: 'Invalid API key' },
  expired: { status: 401, code: 'expired', message: 'API key has expired' },
  forbidden: { status: 403, code: 'forbidden', message: 'Forbidden' },
  not_found: { status: 404, code: 'not_found', message: 'Not found' },
  conflict: { status: 409, code: 'conflict', message: 'The request conflicts with another one' },
  limited: { status: 429, code: 'rate_limited', message: 'Rate limit exceeded' },
  too_large: { status: 413, code: 'too_large', message: 'The request body is too large' },
  unavailable: {
    status: 503,
    code: 'service_unavailable',
    message: 'The service is not ready; try again later',
  },
  internal: { status: 500, code: 'internal_error', message: 'Internal Server Error' },
}

const unauthorized = { status: 401, code: 'unauthorized' } as const
const ended = (what: string): Row => ({
  status: 409,
  code: `session_${what}`,
  message: `This checkout session is ${what} and cannot be changed any more`,
})

/** Rows per code, where the interface, the protocol or a decision pins status and wording. */
const byCode: Readonly<Record<string, Row>> = {
  // Interface: Errors, ACP.
  acp_key_missing: { ...unauthorized, message: 'Missing or invalid Authorization header' },
  acp_key_malformed: { ...unauthorized, message: 'Invalid API key format' },
  acp_key_unknown: { ...unauthorized, message: 'Invalid API key' },
  acp_key_expired: { status: 401, code: 'expired', message: 'API key has expired' },
  acp_key_of_other_agent: {
    status: 403,
    code: 'forbidden',
    message: 'API key does not match application',
  },
  // Protocol: API-Version, Idempotency-Key (RFC §6.4), requires_3ds.
  missing_api_version: {
    status: 400,
    code: 'missing_api_version',
    message: `API-Version is empty; use ${supportedVersions.join(' or ')}, or leave the header out`,
  },
  unsupported_api_version: {
    status: 400,
    code: 'unsupported_api_version',
    message: ({ given }) =>
      `API-Version ${String(given)} is not supported; use ${supportedVersions.join(' or ')}`,
  },
  idempotency_key_required: {
    status: 400,
    code: 'idempotency_key_required',
    message: 'Idempotency-Key header is required on all POST requests',
  },
  idempotency_key_invalid: {
    status: 400,
    code: 'idempotency_key_invalid',
    message: 'Idempotency-Key must be at most 255 characters long',
  },
  idempotency_conflict: {
    status: 422,
    code: 'idempotency_conflict',
    message: 'Idempotency-Key has already been used with a different request body',
  },
  idempotency_in_flight: {
    status: 409,
    code: 'idempotency_in_flight',
    message: 'A request with this Idempotency-Key is currently being processed',
  },
  requires_3ds: {
    status: 400,
    code: 'requires_3ds',
    message:
      'This checkout session requires issuer authentication: send the authentication_result that came of it',
  },
  // docs/decisions: what both leave open.
  field_invalid: {
    status: 400,
    code: 'invalid_request',
    message: ({ problem }) => String(problem),
  },
  field_missing: { status: 400, code: 'missing', message: ({ problem }) => String(problem) },
  item_unknown: {
    status: 400,
    code: 'invalid_item_id',
    message: ({ item }) => `line_items: there is no product ${String(item)} on sale here`,
  },
  quantity_too_large: {
    status: 400,
    code: 'quantity_exceeded',
    message: ({ most }) => `quantity: at most ${String(most)} of one product can be bought at once`,
  },
  currency_mismatch: {
    status: 400,
    code: 'currency_mismatch',
    message: ({ currency, requested }) =>
      `currency: these items are sold in ${String(currency)}, not in ${String(requested)}`,
  },
  currencies_mixed: {
    status: 400,
    code: 'currency_mismatch',
    message: 'line_items: these are sold in different currencies; check them out one by one',
  },
  fulfillment_option_unknown: {
    status: 400,
    code: 'invalid_fulfillment_option',
    message: ({ option }) =>
      `selected_fulfillment_options: ${String(option)} is not among the fulfillment_options`,
  },
  fulfillment_option_ambiguous: {
    status: 400,
    code: 'invalid_fulfillment_option',
    message: ({ option }) =>
      `selected_fulfillment_options: ${String(option)} is the id of options of several types; give the type, too`,
  },
  fulfillment_options_conflict: {
    status: 400,
    code: 'invalid_fulfillment_option',
    message: ({ type, first, another }) =>
      `selected_fulfillment_options: ${String(first)} and ${String(another)} are both of the type ${String(type)}; choose one for all items of it`,
  },
  session_not_found: {
    status: 404,
    code: 'not_found',
    message: 'There is no such checkout session',
  },
  session_completed: ended('completed'),
  session_canceled: ended('canceled'),
  session_expired: ended('expired'),
  payment_in_progress: {
    status: 409,
    code: 'payment_in_progress',
    message: 'A payment for this checkout session is being made; read the session again shortly',
  },
  payment_data_required: {
    status: 400,
    code: 'missing',
    message: 'payment_data is required: this shop takes real payments',
  },
  payment_handler_unknown: {
    status: 400,
    code: 'invalid_payment_handler',
    message: ({ handler }) =>
      `payment_data.handler_id: ${String(handler)} is not among the handlers of capabilities.payment`,
  },
  payment_method_unsupported: {
    status: 400,
    code: 'unsupported',
    message: ({ param }) =>
      `${String(param).slice(2)}: orders are paid at once here; pay now, with one of the handlers`,
  },
  payment_outcome_unknown: {
    status: 503,
    code: 'payment_outcome_unknown',
    message:
      'The payment provider did not answer in time. The payment will be settled: repeat the request, or read the session',
  },
  order_not_found: { status: 404, code: 'not_found', message: 'There is no such order' },
  shop_not_found: { status: 404, code: 'not_found', message: 'There is no such agent' },
  malformed_json: {
    status: 400,
    code: 'invalid_request',
    message: 'The request body is not valid JSON',
  },
  wrong_content_type: {
    status: 415,
    code: 'invalid_request',
    message: 'Content-Type must be application/json',
  },
  unknown_path: { status: 404, code: 'not_found', message: 'Not found' },
  method_not_allowed: { status: 405, code: 'method_not_allowed', message: 'Method not allowed' },
}

/** Every row, for the contract; cancelling what has ended has a status of its own. */
export const acpRefusals = [
  ...Object.values(byKind),
  ...Object.values(byCode),
  { status: 405, code: 'session_completed' },
].map(({ status, code }) => ({ status, says: code }))

/** What a refusal says, in the words that both dialects share. */
export interface AcpFault {
  readonly status: AcpStatus
  readonly code: string
  readonly message: string
  readonly param: string | null
  readonly retryAfterSeconds: number | null
  readonly replayed: boolean
  readonly body: unknown
}

/**
 * What the caller is told; an error that is no Fault tells nothing of itself. Refusals of keys and
 * of too many requests read the same in both dialects: the interface pins them.
 */
export function toAcpFault(error: unknown, dialect: Dialect, isCancel = false): AcpFault {
  const fault = error instanceof Fault ? error : null
  const row = fault === null ? byKind.internal : rowOf(fault, isCancel)
  const { status, code } = row
  const facts = fault?.facts ?? {}
  const message = typeof row.message === 'string' ? row.message : row.message(facts)
  const param = typeof facts.param === 'string' ? facts.param : null
  const retry = facts.retryAfterSeconds
  const said = { status, code, message, param }
  return {
    ...said,
    retryAfterSeconds: typeof retry === 'number' ? retry : null,
    replayed: facts.replayed === true,
    body: bodyOf(said, dialect),
  }
}

/** The protocol has a status of its own for cancelling what has ended. */
function rowOf(fault: Fault, isCancel: boolean): Row {
  const row = byCode[fault.code] ?? byKind[fault.kind]
  const hasEnded = fault.code.startsWith('session_') && fault.kind === 'conflict'
  return isCancel && hasEnded ? { ...row, status: 405 } : row
}

function bodyOf(
  { status, code, message, param }: Pick<AcpFault, 'status' | 'code' | 'message' | 'param'>,
  dialect: Dialect,
): unknown {
  if (status === 429) return { error: 'Rate limit exceeded' }
  // Nothing is added to the interface's body: the message names the field.
  if (dialect === 'plain' || status === 401 || status === 403) return { error: { code, message } }
  return {
    type: typeOf(status),
    code,
    message,
    ...(param === null ? {} : { param }),
    ...(code.endsWith('_api_version') ? { supported_versions: supportedVersions } : {}),
  }
}

function typeOf(status: AcpStatus): ErrorType {
  if (status === 503) return 'service_unavailable'
  return status >= 500 ? 'processing_error' : 'invalid_request'
}
