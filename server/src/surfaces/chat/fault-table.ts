import { Fault, type FaultFacts, type FaultKind } from '#kernel/fault.ts'

/** The statuses of the chat surface. */
type ChatStatus = 400 | 401 | 402 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 502 | 503 | 504

export interface ChatFault {
  readonly status: ChatStatus
  readonly message: string
  /**
   * The reason phrase of HTTP/1.1, which is all that the AI SDK shows of a refusal. Constant text,
   * never the caller's; absent where HTTP's own phrase says as much.
   */
  readonly reason?: string
  readonly retryAfterSeconds?: number
}

type Row =
  | { readonly status: ChatStatus; readonly message: string }
  | {
      readonly status: ChatStatus
      readonly message: (facts: FaultFacts) => string
      readonly reason?: string
    }

/** Every kind has a row: a kind without one does not compile. */
const byKind: Record<FaultKind, Row> = {
  invalid: { status: 400, message: 'Bad Request' },
  unauthenticated: { status: 401, message: 'Invalid API key' },
  expired: { status: 401, message: 'Invalid API key' },
  forbidden: { status: 403, message: 'Forbidden' },
  not_found: { status: 404, message: 'Not Found' },
  conflict: { status: 409, message: 'Conflict' },
  limited: { status: 429, message: 'Rate limit exceeded' },
  too_large: { status: 413, message: 'Request body too large' },
  unavailable: { status: 503, message: 'Service Unavailable' },
  internal: { status: 500, message: 'Internal Server Error' },
}

/** Rows per code, where the interface or a decision pins status and wording. */
const byCode: Readonly<Record<string, Row>> = {
  // Interface: Errors, chat completions.
  key_missing: { status: 401, message: 'Missing API key' },
  key_unknown: { status: 401, message: 'Invalid API key' },
  key_of_other_agent: { status: 401, message: 'Invalid API key' },
  plan_not_paid: {
    status: 401,
    message:
      'This API is only available on a paid plan. Upgrade the workspace to the Builder plan or higher to use it.',
  },
  model_missing: { status: 400, message: '`model` is required and must be a string' },
  messages_missing: { status: 400, message: '`messages` must be a non-empty array' },
  agent_unknown: {
    status: 404,
    message: ({ model }) => `Unknown model "${String(model)}"`,
    reason: 'Unknown model',
  },
  // docs/decisions: what goes beyond the interface.
  messages_too_many: {
    status: 400,
    message: ({ most }) => `\`messages\` must hold at most ${String(most)} messages`,
    reason: 'Too many messages',
  },
  parts_too_many: {
    status: 400,
    message: ({ most }) => `\`messages\` must hold at most ${String(most)} content parts`,
    reason: 'Too many content parts',
  },
  request_invalid: { status: 400, message: ({ problem }) => String(problem) },
  malformed_json: { status: 400, message: 'The request body is not valid JSON' },
  wrong_content_type: { status: 415, message: 'Content-Type must be application/json' },
  body_too_large: {
    status: 413,
    message: ({ maxBytes }) => `The request body is larger than ${String(maxBytes)} bytes`,
    reason: 'Request body too large',
  },
  unknown_path: { status: 404, message: 'Not Found' },
  method_not_allowed: { status: 405, message: 'Method Not Allowed' },
  session_unknown: { status: 404, message: 'Unknown chat session' },
  session_queue_full: {
    status: 409,
    message: 'Too many requests are waiting for this chat session; try again later',
  },
  // Only feedback can cause this: it names a session and an answer.
  record_not_found: { status: 404, message: 'Unknown chat session or answer' },
  nothing_to_rate: { status: 409, message: 'This chat session has no answer yet' },
  images_not_supported: {
    status: 400,
    message: ({ model }) => `The model of "${String(model)}" cannot read images`,
    reason: 'The model of this agent cannot read images',
  },
  credits_used_up: {
    status: 402,
    message: 'The workspace of this agent has no credits left',
  },
  credit_cap_reached: {
    status: 402,
    message: ({ period, resets_at }) =>
      `The credit cap of this ${String(period)} is reached; it begins anew at ${String(resets_at)}`,
  },
  rate_limited: { status: 429, message: 'Rate limit exceeded' },
  turn_aborted: { status: 503, message: 'The request was aborted before its answer was complete' },
  database_unavailable: { status: 503, message: 'The service is not ready; try again later' },
  model_not_configured: {
    status: 502,
    message: 'The model provider of this agent is not configured',
  },
  model_unreachable: { status: 502, message: 'The model provider is down or cannot be reached' },
  model_rejected: { status: 502, message: 'The model provider refused our credentials' },
  model_bad_answer: { status: 502, message: 'The model provider gave no usable answer' },
  model_refused_request: { status: 502, message: 'The model provider refused the request' },
  model_timeout: { status: 504, message: 'The model provider took too long to answer' },
  model_limited: {
    status: 429,
    message: 'The model provider is over its rate limit; try again later',
  },
}

/** Every row, for the contract. */
export const chatRefusals = [...Object.values(byKind), ...Object.values(byCode)].map(
  ({ status, message }) => ({ status, says: typeof message === 'string' ? message : null }),
)

const unknownError: ChatFault = { status: 500, message: 'Internal Server Error' }

/** The answer for an error; one that is no Fault reveals nothing about itself. */
export function toChatFault(error: unknown): ChatFault {
  if (!(error instanceof Fault)) return unknownError
  const row = byCode[error.code] ?? byKind[error.kind]
  const { retryAfterSeconds } = error.facts
  return {
    status: row.status,
    ...wordsOf(row, error.facts),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  }
}

function wordsOf(row: Row, facts: FaultFacts): Pick<ChatFault, 'message' | 'reason'> {
  if (typeof row.message === 'string') return { message: row.message, reason: row.message }
  const message = row.message(facts)
  return 'reason' in row && row.reason !== undefined ? { message, reason: row.reason } : { message }
}
