import { acpKeyFaults, type addressFaults } from '#features/api-keys/index.ts'
import { catalogFaults } from '#features/catalog/index.ts'
import { checkoutFaults } from '#features/checkout/index.ts'
import { orderFaults } from '#features/orders/index.ts'
import {
  allRows,
  worded,
  type RowsByCode,
  type RowsByKind,
  type Without,
} from '#kernel/fault-table.ts'
import { Fault } from '#kernel/fault.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { dialectFaults, supportedVersions, type Dialect } from './dialect.ts'
import { bodyFaults } from './request-body.ts'

interface Row {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503
  readonly code: string
}

const byKind: RowsByKind<Row> = {
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

const ended = (what: string) => ({
  code: `session_${what}`,
  message: `This checkout session is ${what} and can no longer be changed`,
})

type CheckoutFaults = typeof acpKeyFaults &
  Pick<typeof addressFaults, 'key_address_refused'> &
  typeof dialectFaults &
  typeof bodyFaults &
  typeof checkoutFaults &
  Pick<typeof orderFaults, 'order_not_found'> &
  Pick<typeof catalogFaults, 'shop_not_found'> &
  Without<
    typeof requestFaults,
    'cross_site' | 'foreign_cookie' | 'form_stale' | 'body_too_large' | 'rate_limited'
  >

/** The interface, the protocol or a decision fixes these statuses and words. */
const byCode: RowsByCode<CheckoutFaults, Row> = {
  // Interface: Errors, ACP.
  acp_key_missing: 'Missing or invalid Authorization header',
  acp_key_malformed: 'Invalid API key format',
  acp_key_unknown: 'Invalid API key',
  // A thief of the key must not learn that it works elsewhere.
  key_address_refused: 'Invalid API key',
  acp_key_expired: 'API key has expired',
  acp_key_of_other_agent: 'API key does not match application',
  // Protocol: API-Version, Idempotency-Key (RFC §6.4), requires_3ds.
  missing_api_version: {
    code: 'missing_api_version',
    message: `API-Version is empty; use ${supportedVersions.join(' or ')}, or leave the header out`,
  },
  unsupported_api_version: {
    code: 'unsupported_api_version',
    message: ({ given }) =>
      `API-Version ${given} is not supported; use ${supportedVersions.join(' or ')}`,
  },
  idempotency_key_required: {
    code: 'idempotency_key_required',
    message: 'Idempotency-Key header is required on all POST requests',
  },
  idempotency_key_invalid: {
    code: 'idempotency_key_invalid',
    message: 'Idempotency-Key must be at most 255 characters long',
  },
  idempotency_conflict: {
    status: 422,
    code: 'idempotency_conflict',
    message: 'Idempotency-Key has already been used with a different request body',
  },
  checkouts_limited: 'Rate limit exceeded',
  idempotency_in_flight: {
    code: 'idempotency_in_flight',
    message: 'A request with this Idempotency-Key is currently being processed',
  },
  requires_3ds: {
    code: 'requires_3ds',
    message: 'This checkout session requires issuer authentication: send its authentication_result',
  },
  // docs/decisions: what neither defines.
  field_invalid: ({ problem }) => problem,
  field_missing: { code: 'missing', message: ({ problem }) => problem },
  item_unknown: {
    code: 'invalid_item_id',
    message: ({ item }) => `line_items: there is no product ${item} on sale here`,
  },
  quantity_too_large: {
    code: 'quantity_exceeded',
    message: ({ most }) => `quantity: at most ${most} of one product can be bought at once`,
  },
  currency_mismatch: {
    code: 'currency_mismatch',
    message: ({ currency, requested }) =>
      `currency: these items are sold in ${currency}, not in ${requested}`,
  },
  currencies_mixed: {
    code: 'currency_mismatch',
    message: 'line_items: these are sold in different currencies; check them out one by one',
  },
  fulfillment_option_unknown: {
    code: 'invalid_fulfillment_option',
    message: ({ option }) =>
      `selected_fulfillment_options: ${option} is not among the fulfillment_options`,
  },
  fulfillment_option_ambiguous: {
    code: 'invalid_fulfillment_option',
    message: ({ option }) =>
      `selected_fulfillment_options: ${option} is the id of options of several types; give the type, too`,
  },
  fulfillment_options_conflict: {
    code: 'invalid_fulfillment_option',
    message: ({ type, first, another }) =>
      `selected_fulfillment_options: ${first} and ${another} are both of the type ${type}; choose one for all items of it`,
  },
  session_not_found: 'There is no such checkout session',
  session_completed: ended('completed'),
  session_canceled: ended('canceled'),
  session_expired: ended('expired'),
  payment_in_progress: {
    code: 'payment_in_progress',
    message: 'A payment for this checkout session is in progress; read the session again shortly',
  },
  payment_data_required: {
    code: 'missing',
    message: 'payment_data is required: this shop takes real payments',
  },
  payment_handler_unknown: {
    code: 'invalid_payment_handler',
    message: ({ handler }) =>
      `payment_data.handler_id: ${handler} is not among the handlers of capabilities.payment`,
  },
  payment_method_unsupported: {
    code: 'unsupported',
    message: ({ param }) =>
      `${param.slice(2)}: orders are paid at once here; pay now, with one of the handlers`,
  },
  payment_outcome_unknown: {
    code: 'payment_outcome_unknown',
    message:
      'The payment provider did not answer in time. The payment will be settled: repeat the request, or read the session',
  },
  order_not_found: 'There is no such order',
  shop_not_found: 'There is no such agent',
  malformed_json: 'The request body is not valid JSON',
  json_refused: ({ problem }) => `The request body ${problem}`,
  wrong_content_type: {
    status: 415,
    message: 'Content-Type must be application/json',
  },
  unknown_path: 'Not found',
  method_not_allowed: { status: 405, code: 'method_not_allowed', message: 'Method not allowed' },
}

const endedCodes = new Set(['session_completed', 'session_canceled', 'session_expired'])

/** Every row, for the contract, and the status of cancelling a session that has ended. */
export const acpRefusals = [
  ...allRows<Row>(
    { byKind, byCode },
    {
      ...acpKeyFaults,
      ...dialectFaults,
      ...bodyFaults,
      ...checkoutFaults,
      ...orderFaults,
      ...catalogFaults,
      ...requestFaults,
    },
  ),
  { status: 405, code: 'session_completed' },
].map(({ status, code }) => ({ status, says: code }))

export interface AcpFault {
  readonly status: Row['status']
  readonly replayed: boolean
  readonly body: unknown
}

/**
 * An error in the caller's dialect. Errors about keys and rate limits are the same in both
 * dialects: the interface fixes them.
 */
export function toAcpFault(error: unknown, dialect: Dialect, isCancel = false): AcpFault {
  const { status, code, message } = worded<Row>(error, { byKind, byCode })
  const { param, replayed } = error instanceof Fault ? error.facts : {}
  // The protocol has a separate status for cancelling a session that has ended.
  const hasEnded = isCancel && error instanceof Fault && endedCodes.has(error.code)
  const refusal = { status: hasEnded ? (405 as const) : status, code, message, param }
  const body = bodyOf(refusal, dialect)
  return { status: refusal.status, replayed: replayed === true, body }
}

function bodyOf(
  { status, code, message, param }: Row & { readonly message: string; readonly param: unknown },
  dialect: Dialect,
): unknown {
  if (status === 429) return { error: 'Rate limit exceeded' }
  // The interface's body has no other fields: the message names the invalid field.
  if (dialect === 'plain' || status === 401 || status === 403) return { error: { code, message } }
  return {
    type: typeOf(status),
    code,
    message,
    ...(param === undefined ? {} : { param }),
    ...(code.endsWith('_api_version') ? { supported_versions: supportedVersions } : {}),
  }
}

/** The protocol's types of error. */
function typeOf(status: number): 'invalid_request' | 'processing_error' | 'service_unavailable' {
  if (status === 503) return 'service_unavailable'
  return status >= 500 ? 'processing_error' : 'invalid_request'
}
