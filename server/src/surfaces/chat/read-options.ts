import type { RequestOptions } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import type { ResponseFormat } from '#platform/models/model.ts'
import { invalid } from './chat-request-faults.ts'
import { isGiven, readToolChoice, readTools } from './read-tools.ts'

/**
 * The fields of OpenAI's request that ask for more than an answer. Each is honoured, refused, or listed
 * in docs/chat-api.md as accepted without effect; a test compares them with OpenAI's own list.
 */

type Fields = Readonly<Record<string, unknown>>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type Options = Mutable<RequestOptions>
type Reader = (options: Options, value: unknown, name: string) => void

const sampled =
  (set: (value: unknown, name: string) => NonNullable<Options['sampling']>): Reader =>
  (options, value, name) => {
    options.sampling = { ...options.sampling, ...set(value, name) }
  }

const honoured: Readonly<Record<string, Reader>> = {
  temperature: (options, value, name) => {
    options.temperature = readNumber(value, name, 0, 2)
  },
  max_completion_tokens: readMost,
  max_tokens: readMost,
  top_p: sampled((value, name) => ({ topP: readNumber(value, name, 0, 1) })),
  stop: sampled((value, name) => ({ stop: readStop(value, name) })),
  seed: sampled((value, name) => ({ seed: readWhole(value, name, Number.MIN_SAFE_INTEGER) })),
  presence_penalty: sampled((value, name) => ({ presencePenalty: readNumber(value, name, -2, 2) })),
  frequency_penalty: sampled((value, name) => ({
    frequencyPenalty: readNumber(value, name, -2, 2),
  })),
  logit_bias: sampled((value, name) => ({ logitBias: readBias(value, name) })),
  reasoning_effort: sampled((value, name) => ({
    reasoningEffort: readOne(value, name, ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']),
  })),
  verbosity: sampled((value, name) => ({
    verbosity: readOne(value, name, ['low', 'medium', 'high']),
  })),
  tools: (options, value, name) => {
    const tools = readTools(value, name)
    if (tools.length > 0) options.tools = tools
  },
  tool_choice: readToolChoice,
  parallel_tool_calls: (options, value, name) => {
    if (options.tools === undefined) throw invalid(`\`${name}\` needs \`tools\``)
    if (typeof value !== 'boolean') throw invalid(`\`${name}\` must be a boolean`)
    // Several calls at once are what every provider allows by default.
    if (!value) options.parallelToolCalls = false
  },
  response_format: (options, value, name) => {
    const format = readFormat(value, name)
    if (format !== null) options.responseFormat = format
  },
}

/** What a field may be although Parley does nothing for it. */
const limited: Readonly<Record<string, { is: (value: unknown) => boolean; must: string }>> = {
  n: { is: (value) => value === 1, must: 'must be 1: an agent gives one answer' },
  logprobs: {
    is: (value) => value === false,
    must: 'is not supported: an answer can consist of several calls of a model',
  },
  top_logprobs: { is: (value) => value === 0, must: 'is not supported' },
  service_tier: {
    is: (value) => value === 'auto' || value === 'default',
    must: 'must be auto or default: the operator decides what the provider is paid',
  },
  modalities: {
    is: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
    must: 'must be ["text"]: an agent answers with text',
  },
  audio: { is: () => false, must: 'is not supported: an agent answers with text' },
  web_search_options: {
    is: () => false,
    must: 'is not supported: an agent answers from its knowledge and its actions',
  },
  moderation: { is: () => false, must: 'is not supported' },
  functions: { is: () => false, must: 'is not supported: send `tools`' },
  function_call: { is: () => false, must: 'is not supported: send `tool_choice`' },
}

/** Accepted without effect; docs/chat-api.md gives the reasons. */
const withoutEffect = [
  'metadata',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
]

/** Every field that can ask for more than an answer. */
export const optionFields: readonly string[] = [
  ...Object.keys(honoured),
  ...Object.keys(limited),
  ...withoutEffect,
]

/**
 * What a request asks for besides an answer to its messages; null counts as absent.
 *
 * @throws Fault request_invalid
 */
export function readOptions(fields: Fields): RequestOptions | undefined {
  const options: Options = {}
  for (const [name, read] of Object.entries(honoured)) {
    const value = fields[name]
    if (value !== undefined && value !== null) read(options, value, name)
  }
  for (const [name, { is, must }] of Object.entries(limited)) {
    const value = fields[name]
    if (value !== undefined && value !== null && !is(value)) throw invalid(`\`${name}\` ${must}`)
  }
  return Object.keys(options).length === 0 ? undefined : options
}

function readMost(options: Options, value: unknown, name: string): void {
  const most = readWhole(value, name, 1)
  if (options.maxOutputTokens !== undefined && options.maxOutputTokens !== most)
    throw invalid('`max_tokens` and `max_completion_tokens` must not differ')
  options.maxOutputTokens = most
}

export function readNumber(value: unknown, name: string, least: number, most: number): number {
  if (typeof value !== 'number' || value < least || value > most)
    throw invalid(`\`${name}\` must be a number from ${least} to ${most}`)
  return value
}

export function readWhole(value: unknown, name: string, least: number): number {
  if (!Number.isSafeInteger(value) || Number(value) < least)
    throw invalid(`\`${name}\` must be a ${least > 0 ? 'positive ' : ''}whole number`)
  return Number(value)
}

export function readOne(value: unknown, name: string, allowed: readonly string[]): string {
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw invalid(`\`${name}\` must be one of ${allowed.join(', ')}`)
  return found
}

/** OpenAI's limit. */
const mostStops = 4

function readStop(value: unknown, name: string): readonly string[] {
  const stops: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = stops.filter((one) => typeof one === 'string' && one !== '')
  if (texts.length !== stops.length || stops.length > mostStops || stops.length === 0)
    throw invalid(`\`${name}\` must be a text or an array of at most ${mostStops} texts`)
  return texts.map(String)
}

/** More than any client sends; each is a field that the provider reads. */
const mostBiases = 1_024

function readBias(value: unknown, name: string): Readonly<Record<string, number>> {
  const problem = `\`${name}\` must be an object of numbers from -100 to 100, at most ${mostBiases}`
  if (!isObject(value)) throw invalid(problem)
  const entries = Object.entries(value)
  if (entries.length > mostBiases) throw invalid(problem)
  return Object.fromEntries(
    entries.map(([token, bias]) => {
      if (typeof bias !== 'number' || Math.abs(bias) > 100) throw invalid(problem)
      return [token, bias]
    }),
  )
}

function readFormat(value: unknown, name: string): ResponseFormat | null {
  const format = isObject(value) ? value : {}
  switch (format.type) {
    case 'text':
      return null
    case 'json_object':
      return { type: 'json_object' }
    case 'json_schema':
      return readSchema(format.json_schema, `${name}.json_schema`)
    default:
      throw invalid(`\`${name}.type\` must be one of text, json_object, json_schema`)
  }
}

export function readSchema(value: unknown, at: string): ResponseFormat {
  const { name, description, schema, strict } = isObject(value) ? value : {}
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw invalid(`\`${at}.name\` must be 1 to 64 letters, digits, _ or -`)
  if (!isObject(schema)) throw invalid(`\`${at}.schema\` must be an object`)
  if (isGiven(description) && typeof description !== 'string')
    throw invalid(`\`${at}.description\` must be a string`)
  if (isGiven(strict) && typeof strict !== 'boolean')
    throw invalid(`\`${at}.strict\` must be a boolean`)
  const about = typeof description === 'string' ? { description } : {}
  return { type: 'json_schema', name, ...about, schema, strict: strict === true }
}
