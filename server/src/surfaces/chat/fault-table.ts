import { analyticsFaults } from '#features/analytics/index.ts'
import type { addressFaults } from '#features/api-keys/index.ts'
import { creditFaults } from '#features/credits/index.ts'
import type { fileFaults } from '#features/files/index.ts'
import { quotaFaults } from '#features/quotas/index.ts'
import { responseFaults } from '#features/responses/index.ts'
import { turnFaults } from '#features/turns/index.ts'
import {
  allRows,
  rowOf,
  worded,
  type FaultTable,
  type RowsByCode,
  type RowsByKind,
  type Without,
} from '#kernel/fault-table.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { RequestField } from '#platform/models/model.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { chatRequestFaults } from './chat-request-faults.ts'

type ChatStatus = 400 | 401 | 402 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 502 | 503 | 504

interface Row {
  readonly status: ChatStatus
  /**
   * The reason phrase of HTTP/1.1, which is all that the AI SDK shows of an error. A constant
   * message is also the reason phrase; it never contains what the caller sent.
   */
  readonly reason?: string
}

export type ChatFault = Row & { readonly message: string }

/** What OpenAI's chat completions call the fields of a request. */
const wireFields: Readonly<Record<RequestField | 'instructions', string>> = {
  temperature: 'temperature',
  // Both names set it.
  maxOutputTokens: 'max_tokens` or `max_completion_tokens',
  topP: 'top_p',
  stop: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  reasoningEffort: 'reasoning_effort',
  verbosity: 'verbosity',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  responseFormat: 'response_format',
  instructions: 'instructions',
}

const byKind: RowsByKind<Row> = {
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

function placeOf({ message, part }: { message: number; part: number }, field: string): string {
  return `messages[${message}].content[${part}].${field}`
}

function wayOut(limit: string): string {
  return limit.includes('message')
    ? 'Delete conversations or set retention_days for its agents'
    : 'Delete files'
}

type ChatFaults = typeof turnFaults &
  Pick<typeof addressFaults, 'key_address_refused'> &
  typeof chatRequestFaults &
  typeof responseFaults &
  typeof fileFaults &
  Without<typeof requestFaults, 'cross_site' | 'foreign_cookie' | 'form_stale'> &
  Pick<
    typeof commonFaults,
    | 'record_not_found'
    | 'database_unavailable'
    | 'read_timed_out'
    | 'reads_busy'
    | 'write_conflict'
    | 'overloaded'
  > &
  Pick<typeof analyticsFaults, 'nothing_to_rate'> &
  Pick<typeof quotaFaults, 'limit_reached'> &
  Pick<typeof creditFaults, 'credits_used_up' | 'credit_cap_reached'>

const byCode: RowsByCode<ChatFaults, Row> = {
  // Interface: Errors, chat completions.
  key_missing: 'Missing API key',
  key_unknown: 'Invalid API key',
  // A thief of the key must not learn that it works elsewhere.
  key_address_refused: 'Invalid API key',
  key_of_other_agent: 'Invalid API key',
  plan_not_paid:
    'This API is only available on a paid plan. Upgrade the workspace to the Builder plan or higher to use it.',
  model_missing: '`model` is required and must be a string',
  messages_missing: '`messages` must be a non-empty array',
  agent_unknown: {
    message: ({ model }) => `Unknown model "${model}"`,
    reason: 'Unknown model',
  },
  // docs/decisions: additions to the interface.
  messages_too_many: {
    message: ({ most }) => `\`messages\` must hold at most ${most} messages`,
    reason: 'Too many messages',
  },
  parts_too_many: {
    message: ({ most }) => `\`messages\` must hold at most ${most} content parts`,
    reason: 'Too many content parts',
  },
  request_invalid: ({ problem }) => problem,
  malformed_json: 'The request body is not valid JSON',
  json_refused: ({ problem }) => `The request body ${problem}`,
  wrong_content_type: { status: 415, message: 'Content-Type must be application/json' },
  body_too_large: {
    message: ({ maxBytes }) => `The request body is larger than ${maxBytes} bytes`,
    reason: 'Request body too large',
  },
  form_missing: { status: 415, message: 'Content-Type must be multipart/form-data' },
  form_malformed: ({ problem }) => `The form ${problem}`,
  unknown_path: 'Not Found',
  method_not_allowed: { status: 405, message: 'Method Not Allowed' },
  session_unknown: 'Unknown chat session',
  model_slots_busy: 'Too many answers of this workspace are running; try again later',
  session_moved_on: 'This chat session has changed; read it again',
  session_queue_full: 'Too many requests are waiting for this chat session; try again later',
  response_unknown: 'Unknown response',
  response_unanswered: 'This response has no answer that can be continued',
  conversation_unknown: 'Unknown conversation',
  item_unknown: 'Unknown item',
  not_background: 'Only a background response can be cancelled, or streamed later',
  compaction_not_supported: '`model` must be an agent whose model can write a summary',
  summary_cut_off: {
    status: 502,
    message:
      'The summary is longer than the answers that the agent allows (max_output_tokens); compact fewer messages at once',
  },
  nothing_to_compact: '`input` is required: there is nothing to compact',
  background_full: {
    message: ({ limit }) =>
      `Already ${limit} background responses of this agent wait or run; try again later`,
    reason: 'Too many background responses of this agent wait or run',
  },
  background_streams_full: {
    message: ({ limit }) =>
      `Already ${limit} streams of background responses of this agent are open; try again later, or poll without \`stream\``,
    reason: 'Too many streams of background responses of this agent are open',
  },
  // Only feedback can cause this, because it names a session and an answer.
  record_not_found: 'Unknown chat session or answer',
  nothing_to_rate: 'This chat session has no answer yet',
  images_not_supported: {
    message: ({ model, at, ...part }) =>
      `\`${at ?? placeOf(part, 'image_url')}\` is not supported: the model of "${model}" cannot read images`,
    reason: 'The model of this agent cannot read images',
  },
  audio_not_supported: {
    message: ({ model, ...part }) =>
      `\`${placeOf(part, 'input_audio')}\` is not supported: the model of "${model}" cannot hear audio`,
    reason: 'The model of this agent cannot hear audio',
  },
  files_not_supported: {
    message: ({ model, at, ...part }) =>
      `\`${at ?? placeOf(part, 'file')}\` is not supported: the model of "${model}" cannot read files`,
    reason: 'The model of this agent cannot read files',
  },
  file_misplaced: ({ at }) => `\`${at}\` must be in a message of the role user`,
  files_too_many: {
    message: ({ most }) => `A request must have at most ${most} files`,
    reason: 'Too many files',
  },
  file_format_unknown: ({ at, known }) =>
    `\`${at}\` must be a file of one of the formats ${known.join(', ')}`,
  file_unreadable: ({ at, problem }) => `\`${at}\` cannot be read: it ${problem}`,
  file_unreachable: ({ at }) => `\`${at}\` cannot be fetched from its URL`,
  file_too_large: ({ at, limitBytes }) => `\`${at}\` is larger than ${limitBytes} bytes`,
  file_too_long: ({ limit }) => `A file has more than ${limit} characters of text`,
  file_id_unknown: ({ at }) => `\`${at}\` is not the id of a file of this agent`,
  image_unreadable: ({ at }) => `\`${at}\` must be a PNG, JPEG, GIF or WebP image`,
  images_too_large: ({ at, limitBytes }) =>
    `\`${at}\` makes the images of this request larger than ${limitBytes} bytes in base64`,
  file_unknown: 'Unknown file',
  upload_empty: '`file` is empty',
  files_busy: 'Too many files are being read; try again later',
  field_forbidden: {
    message: ({ field }) =>
      `\`${wireFields[field]}\` must not be set: the agent's setting allow_request_overrides does not allow it`,
    reason: 'A field of the request must not be set',
  },
  field_out_of_bounds: {
    message: ({ field, min, max }) =>
      `\`${wireFields[field]}\` must be between ${min} and ${max}, as this agent's settings say`,
    reason: 'A field of the request is outside the bounds of the agent',
  },
  field_not_supported: {
    message: ({ field, model }) =>
      `\`${wireFields[field]}\` is not supported by the model of "${model}"`,
    reason: 'A field of the request is not supported by the model',
  },
  schema_unchecked: {
    message: ({ at, problem }) =>
      `\`response_format\` has a schema that cannot be checked: ${at === '' ? 'it' : at} ${problem}`,
    reason: 'The schema of the response format cannot be checked',
  },
  tool_name_taken: {
    message: ({ name }) =>
      `\`tools\` must not name a tool ${name}: the agent has an action of this name`,
    reason: 'The agent has an action with the name of a tool',
  },
  answer_not_in_format: {
    status: 502,
    message: 'The answer of the model does not match `response_format`',
  },
  credits_used_up: {
    status: 402,
    message: 'The workspace of this agent has no credits left',
  },
  credit_cap_reached: {
    status: 402,
    message: ({ period, resets_at }) =>
      `The credit cap of this ${period} is reached; it resets at ${resets_at}`,
  },
  // Not 429: clients would retry at once, and nothing changes until the workspace deletes messages.
  limit_reached: {
    status: 403,
    message: ({ limit, things, per, allowed }) => {
      if (per === 'conversation')
        return `This conversation has reached its limit of ${allowed} ${things} (${limit}). Begin another one, or ask the operator to raise the limit`
      const whose = per === 'agent' ? 'This agent' : 'The workspace of this agent'
      return `${whose} has reached its limit of ${allowed} ${things} (${limit}). ${wayOut(limit)}, or ask the operator to raise the limit`
    },
    reason: 'The workspace or the conversation has reached a limit of what is stored',
  },
  rate_limited: 'Rate limit exceeded',
  agent_rate_limited: 'Rate limit exceeded',
  turns_limited: 'Rate limit exceeded',
  turn_aborted: 'The request was aborted before its answer was complete',
  database_unavailable: 'The service is not ready; try again later',
  read_timed_out: {
    message: ({ seconds }) =>
      `Searching the knowledge of this agent took longer than ${seconds} s; ask a shorter question or try again later`,
    reason: 'Searching the knowledge of this agent took too long',
  },
  reads_busy: 'Too many searches of this workspace are waiting; try again later',
  overloaded: 'The service is overloaded; try again later',
  write_conflict: 'Too many requests change the same data; try again later',
  model_invalid: { status: 502, message: 'The model id of this agent is not valid' },
  model_not_configured: {
    status: 502,
    message: 'The model provider of this agent is not configured',
  },
  model_unreachable: { status: 502, message: 'The model provider is down or cannot be reached' },
  model_rejected: { status: 502, message: 'The model provider refused our credentials' },
  model_bad_answer: { status: 502, message: 'The model provider gave no usable answer' },
  model_refused_request: { status: 502, message: 'The model provider refused the request' },
  model_timeout: { status: 504, message: 'The model provider took too long to answer' },
  model_limited: 'The model provider is over its rate limit; try again later',
}

const table: FaultTable<Row> = { byKind, byCode }

/** Every row, for the contract. */
export const chatRefusals = allRows(table, {
  ...turnFaults,
  ...chatRequestFaults,
  ...responseFaults,
  ...requestFaults,
  ...commonFaults,
  ...analyticsFaults,
  ...creditFaults,
  ...quotaFaults,
}).map(({ status, message }) => ({ status, says: typeof message === 'string' ? message : null }))

export function toChatFault(error: unknown): ChatFault {
  const { message } = error instanceof Fault ? rowOf(error, table) : byKind.internal
  return { ...(typeof message === 'string' ? { reason: message } : {}), ...worded(error, table) }
}

/** The message of a fault that is known by its code alone. */
export function messageOfCode(code: string | null): string {
  const rows: Readonly<Record<string, (typeof byCode)[keyof typeof byCode]>> = byCode
  const row = code !== null && Object.hasOwn(rows, code) ? rows[code] : undefined
  const message = typeof row === 'object' ? row.message : row
  return typeof message === 'string' ? message : byKind.internal.message
}
