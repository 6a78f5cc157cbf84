import { Fault } from '#kernel/fault.ts'
import { toChatFault, type ChatFault } from '#surfaces/chat/fault-table.ts'

/** An error as Open Responses defines it. */
export interface ResponseError {
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param: string | null
}

/** OpenAI's codes for what its clients know; all other codes are our own. */
const knownCodes: Readonly<Record<string, string>> = {
  key_missing: 'invalid_api_key',
  key_unknown: 'invalid_api_key',
  key_address_refused: 'invalid_api_key',
  key_of_other_agent: 'invalid_api_key',
  agent_unknown: 'model_not_found',
  model_missing: 'missing_required_parameter',
  request_invalid: 'invalid_value',
  rate_limited: 'rate_limit_exceeded',
  agent_rate_limited: 'rate_limit_exceeded',
  credits_used_up: 'insufficient_quota',
  credit_cap_reached: 'insufficient_quota',
}

/** The names in the Responses API of fields that have another name in chat completions. */
const fieldNames: Readonly<Record<string, string>> = {
  'max_tokens` or `max_completion_tokens': 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
}

/** The message of an error about a field that the agent or its model does not honour. */
export function inOwnWords(code: string | null, message: string): string {
  if (code === null || !namesField.has(code)) return message
  const named = message.replace(/`(\w+(?:` or `\w+)?)`/, (all, name: string) =>
    Object.hasOwn(fieldNames, name) ? `\`${fieldNames[name]}\`` : all,
  )
  // Its messages are items, which are counted differently.
  return named.replace(/^`messages\[[^`]*`/, '`input`')
}

const namesField: ReadonlySet<string> = new Set([
  'field_forbidden',
  'field_out_of_bounds',
  'field_not_supported',
  'schema_unchecked',
  'images_not_supported',
  'audio_not_supported',
  'files_not_supported',
  'answer_not_in_format',
])

/** The errors of the Responses API have the statuses and words of the chat API. */
export function toResponseError(error: unknown): {
  readonly status: ChatFault['status']
  readonly reason: string | undefined
  readonly error: ResponseError
} {
  const { status, message: words, reason } = toChatFault(error)
  const own = error instanceof Fault ? error.code : 'internal_error'
  const message = inOwnWords(own, words)
  const code = knownCodes[own] ?? own
  // A message about a field begins with its name.
  const param = /^`([^`]+)`/.exec(message)?.[1] ?? null
  return { status, reason, error: { type: typeOf(status, code), code, message, param } }
}

/** The types of Open Responses. */
function typeOf(status: number, code: string): string {
  if (code.startsWith('model_') && status >= 500) return 'model_error'
  if (status === 404) return 'not_found'
  if (status === 429) return 'too_many_requests'
  return status < 500 ? 'invalid_request' : 'server_error'
}
