import type { RequestOptions } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import { invalid } from '#surfaces/chat/chat-request-faults.ts'
import { readOne, readOptions, readSchema, readWhole } from '#surfaces/chat/read-options.ts'
import { readToolChoice, readTools } from '#surfaces/chat/read-tools.ts'

/** The optional fields of the Responses API, in the form that chat completions use. */

type Fields = Readonly<Record<string, unknown>>
type Options = { -readonly [K in keyof RequestOptions]: RequestOptions[K] }

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']
const summaries = ['auto', 'concise', 'detailed']
const verbosities = ['low', 'medium', 'high']

/**
 * @param fields of a request, without those that are null
 * @throws Fault request_invalid
 */
export function readResponseOptions(fields: Fields): RequestOptions | undefined {
  const { temperature, top_p, presence_penalty, frequency_penalty } = fields
  // Clients send the defaults, which not every model knows as fields.
  const options: Options = {
    ...readOptions({
      temperature,
      top_p,
      presence_penalty: presence_penalty === 0 ? null : presence_penalty,
      frequency_penalty: frequency_penalty === 0 ? null : frequency_penalty,
    }),
  }
  if (fields.max_output_tokens !== undefined)
    options.maxOutputTokens = readWhole(fields.max_output_tokens, 'max_output_tokens', 1)
  readReasoning(options, fields.reasoning)
  readText(options, fields.text)
  readCallerTools(options, fields)
  return Object.keys(options).length === 0 ? undefined : options
}

function readReasoning(options: Options, value: unknown): void {
  if (value === undefined) return
  if (!isObject(value)) throw invalid('`reasoning` must be an object')
  for (const [name, one] of Object.entries(value)) {
    if (one === null) continue
    if (name === 'effort') sample(options, { reasoningEffort: readOne(one, at(name), efforts) })
    // Providers send their reasoning as it is, or not at all.
    else if (name === 'summary') readOne(one, at(name), summaries)
    else throw invalid('`reasoning` must contain nothing but effort and summary')
  }
  function at(name: string): string {
    return `reasoning.${name}`
  }
}

function sample(options: Options, more: NonNullable<Options['sampling']>): void {
  options.sampling = { ...options.sampling, ...more }
}

function readText(options: Options, value: unknown): void {
  if (value === undefined) return
  if (!isObject(value)) throw invalid('`text` must be an object')
  const { format, verbosity } = value
  if (verbosity !== undefined && verbosity !== null) {
    const wanted = readOne(verbosity, 'text.verbosity', verbosities)
    // The default, which clients send to models that do not know the field.
    if (wanted !== 'medium') sample(options, { verbosity: wanted })
  }
  if (format !== undefined && format !== null) readFormat(options, format)
}

function readFormat(options: Options, format: unknown): void {
  switch (isObject(format) ? format.type : undefined) {
    case 'text':
      return
    case 'json_object':
      options.responseFormat = { type: 'json_object' }
      return
    case 'json_schema':
      options.responseFormat = readSchema(format, 'text.format')
      return
    default:
      throw invalid('`text.format.type` must be one of text, json_object, json_schema')
  }
}

function readCallerTools(options: Options, fields: Fields): void {
  const { tools: given = [], tool_choice: choice, parallel_tool_calls: parallel } = fields
  if (parallel !== undefined && typeof parallel !== 'boolean')
    throw invalid('`parallel_tool_calls` must be a boolean')
  const tools = readTools(given, 'tools', 'flat')
  if (tools.length === 0) {
    if (choice !== undefined && choice !== 'auto' && choice !== 'none')
      throw invalid('`tool_choice` needs `tools`')
    return
  }
  options.tools = tools
  if (choice !== undefined) readToolChoice(options, choice, 'tool_choice', 'flat')
  // Several calls at once are what every provider allows by default.
  if (parallel === false) options.parallelToolCalls = false
}

/** What a response repeats of these fields. They must have been read. */
export function repeatedOptions(fields: Fields): Fields {
  const repeated: Record<string, unknown> = {}
  for (const name of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'])
    if (fields[name] !== undefined) repeated[name] = fields[name]
  const { tools, tool_choice: choice, text, reasoning } = fields
  if (Array.isArray(tools)) repeated.tools = tools.map(repeatedTool)
  if (choice !== undefined)
    repeated.tool_choice =
      isObject(choice) && choice.type === 'allowed_tools' ? { mode: 'auto', ...choice } : choice
  if (isObject(text)) repeated.text = repeatedText(text)
  if (isObject(reasoning))
    repeated.reasoning = { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null }
  return repeated
}

function repeatedTool(tool: unknown): Fields {
  const { name, description, parameters, strict } = isObject(tool) ? tool : {}
  return {
    type: 'function',
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  }
}

function repeatedText({ format, verbosity }: Fields): Fields {
  const given = isObject(format) ? format : { type: 'text' }
  const { type, name, description, strict } = given
  return {
    // The official document allows nothing but null for the schema of a response.
    format:
      type === 'json_schema'
        ? { type, name, description: description ?? null, schema: null, strict: strict === true }
        : { type },
    ...(typeof verbosity === 'string' ? { verbosity } : {}),
  }
}
