import type { Config } from '#config'
import type { RequestOptions } from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isObject } from '#kernel/json.ts'
import { chatRequestFaults, invalid } from '#surfaces/chat/chat-request-faults.ts'
import { readUser } from '#surfaces/chat/read-request.ts'
import { readItems, type InputItem } from './read-items.ts'
import { readResponseOptions, repeatedOptions } from './read-response-options.ts'
import { readIdOrNone } from './wire-ids.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface ResponseRequest {
  readonly model: string
  readonly items: readonly InputItem[]
  readonly instructions: string | null
  readonly previousResponseId: string | null
  readonly conversationId: string | null
  readonly stream: boolean
  readonly store: boolean
  /** Whether it runs as a job, without its caller. */
  readonly background: boolean
  /** The caller's id for the end user. */
  readonly endUser: string | null
  /** What the response repeats. */
  readonly repeated: Fields
  /** Absent when the request asks for nothing special. */
  readonly options?: RequestOptions
}

interface Rule {
  readonly is: (value: unknown) => boolean
  readonly must: string
}

export const metadataRule =
  'must be an object of at most 16 strings of at most 512 characters, with keys of at most 64'

const unsupported: Rule = { is: () => false, must: 'is not supported' }
const isBoolean = (value: unknown) => typeof value === 'boolean'
const isText = (most: number) => (value: unknown) =>
  typeof value === 'string' && value.length <= most

/** `readResponseOptions` reads it. */
const option: Rule = { is: () => true, must: '' }

/** Every field that a request can have, besides those that are null or absent. */
const rules: Readonly<Record<string, Rule>> = {
  model: { is: () => true, must: '' },
  input: { is: () => true, must: '' },
  instructions: { is: (value) => typeof value === 'string', must: 'must be a string' },
  previous_response_id: { is: (value) => typeof value === 'string', must: 'must be a string' },
  conversation: { is: () => true, must: '' },
  stream: { is: isBoolean, must: 'must be a boolean' },
  store: { is: isBoolean, must: 'must be a boolean' },
  metadata: { is: isMetadata, must: metadataRule },
  user: { is: isText(512), must: 'must be a string of at most 512 characters' },
  safety_identifier: { is: isText(64), must: 'must be a string of at most 64 characters' },
  prompt_cache_key: { is: isText(64), must: 'must be a string of at most 64 characters' },
  prompt_cache_retention: { is: (value) => typeof value === 'string', must: 'must be a string' },
  prompt_cache_options: { is: isObject, must: 'must be an object' },
  include: {
    is: (value) =>
      Array.isArray(value) && value.every((one) => one === 'reasoning.encrypted_content'),
    must: 'must contain nothing but reasoning.encrypted_content',
  },
  background: { is: isBoolean, must: 'must be a boolean' },
  stream_options: {
    is: (value) => isObject(value) && value.include_obfuscation !== true,
    must: 'must not have include_obfuscation',
  },
  truncation: {
    is: (value) => value === 'auto',
    must: 'must be auto: the model reads the newest messages of a long session',
  },
  service_tier: {
    is: (value) => value === 'auto' || value === 'default',
    must: 'must be auto or default',
  },
  top_logprobs: { is: (value) => value === 0, must: 'is not supported' },
  max_tool_calls: unsupported,
  prompt: unsupported,
  temperature: option,
  top_p: option,
  presence_penalty: option,
  frequency_penalty: option,
  max_output_tokens: option,
  reasoning: option,
  text: option,
  tools: option,
  tool_choice: option,
  parallel_tool_calls: option,
}

/**
 * The body of POST /responses. A field that is unknown or not supported is refused by its name; null
 * counts as absent.
 *
 * @throws Fault model_missing, request_invalid
 */
export function readResponseRequest(
  body: unknown,
  limits: Pick<Config, 'maxRequestMessages' | 'maxRequestParts'>,
): ResponseRequest {
  const fields = Object.fromEntries(
    Object.entries(isObject(body) ? body : {}).filter(([, value]) => value !== null),
  )
  const { model, instructions, user, safety_identifier: safetyIdentifier } = fields
  if (typeof model !== 'string' || model === '') throw new Fault(chatRequestFaults.model_missing)
  for (const [name, value] of Object.entries(fields)) requireAllowed(name, value)
  const endUser = textOf(user) ?? textOf(safetyIdentifier)
  const continued = readContinued(fields)
  const background = fields.background === true
  const store = fields.store !== false
  if (background && !store) throw invalid('`background` needs `store`: it must be stored')
  const options = readResponseOptions(fields)
  return {
    model,
    items: readItems(fields.input, 'input', limits),
    instructions: textOf(instructions) || null,
    ...continued,
    stream: fields.stream === true,
    store,
    background,
    endUser: readUser(endUser),
    repeated: repeatedOf(fields),
    ...(options === undefined ? {} : { options }),
  }
}

function requireAllowed(name: string, value: unknown): void {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined) throw invalid(`\`${shown(name)}\` is not a field of this request`)
  if (!rule.is(value)) throw invalid(`\`${name}\` ${rule.must}`)
}

/** A name is repeated in the error, so it must be short and plain. */
function shown(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '?').slice(0, 64)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function readContinued(fields: Fields) {
  const { previous_response_id: previous, conversation } = fields
  if (previous !== undefined && conversation !== undefined)
    throw invalid('`conversation` must not be set beside `previous_response_id`')
  const id = isObject(conversation) ? conversation.id : conversation
  if (id !== undefined && typeof id !== 'string')
    throw invalid('`conversation` must be the id of a conversation, or an object with it')
  return {
    previousResponseId: typeof previous === 'string' ? readIdOrNone('response', previous) : null,
    conversationId: id === undefined ? null : readIdOrNone('conversation', id),
  }
}

export function isMetadata(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length <= 16 &&
    entries.every(([key, one]) => key.length <= 64 && typeof one === 'string' && one.length <= 512)
  )
}

/** What a response repeats of its request; `responseShape` has the defaults. */
function repeatedOf(fields: Fields): Fields {
  const names = [
    'model',
    'previous_response_id',
    'instructions',
    'metadata',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'parallel_tool_calls',
    'background',
  ]
  return {
    ...Object.fromEntries(
      names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
    ),
    ...repeatedOptions(fields),
  }
}

const compactFields = [
  'model',
  'input',
  'previous_response_id',
  'instructions',
  'prompt_cache_key',
  'prompt_cache_retention',
]

/**
 * The body of POST /responses/compact, which has some fields of a response.
 *
 * @throws Fault model_missing, request_invalid
 */
export function readCompactRequest(
  body: unknown,
  limits: Pick<Config, 'maxRequestMessages' | 'maxRequestParts'>,
) {
  const fields = Object.fromEntries(
    Object.entries(isObject(body) ? body : {}).filter(([, value]) => value !== null),
  )
  const { model, instructions, input } = fields
  if (typeof model !== 'string' || model === '') throw new Fault(chatRequestFaults.model_missing)
  for (const [name, value] of Object.entries(fields)) {
    if (!compactFields.includes(name))
      throw invalid(`\`${shown(name)}\` is not a field of this request`)
    requireAllowed(name, value)
  }
  return {
    model,
    items: input === undefined ? [] : readItems(input, 'input', limits),
    instructions: textOf(instructions) || null,
    previousResponseId: readContinued(fields).previousResponseId,
  }
}
