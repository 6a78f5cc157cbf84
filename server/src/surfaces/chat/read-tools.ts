import type { RequestOptions, TranscriptMessage } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import type { ModelTool, ToolCall } from '#platform/models/model.ts'
import { invalid } from './chat-request-faults.ts'

/** The tools of a caller, their calls and their results, in the form of OpenAI's chat completions. */

/** OpenAI's own limit. */
const mostTools = 128

/** What every provider accepts as the name of a tool. */
const toolName = /^[A-Za-z0-9_-]{1,64}$/

/** @throws Fault request_invalid */
export function readTools(value: unknown, at: string): readonly ModelTool[] {
  if (!Array.isArray(value) || value.length > mostTools)
    throw invalid(`\`${at}\` must be an array of at most ${mostTools} tools`)
  const tools = value.map((tool: unknown, index) => readTool(tool, `${at}[${index}]`))
  const names = new Set<string>()
  for (const { name } of tools) {
    if (names.has(name)) throw invalid(`\`${at}\` must not hold two tools with the name ${name}`)
    names.add(name)
  }
  return tools
}

function readTool(value: unknown, at: string): ModelTool {
  const tool = isObject(value) ? value : {}
  if (tool.type !== 'function') throw invalid(`\`${at}.type\` must be function`)
  const { name, description, parameters, strict } = isObject(tool.function) ? tool.function : {}
  if (typeof name !== 'string' || !toolName.test(name))
    throw invalid(`\`${at}.function.name\` must be 1 to 64 letters, digits, _ or -`)
  const about = description ?? ''
  if (typeof about !== 'string') throw invalid(`\`${at}.function.description\` must be a string`)
  // OpenAI: a function without parameters has an empty list of them.
  const schema = parameters ?? { type: 'object', properties: {} }
  if (!isObject(schema)) throw invalid(`\`${at}.function.parameters\` must be an object`)
  if (isGiven(strict) && typeof strict !== 'boolean')
    throw invalid(`\`${at}.function.strict\` must be a boolean`)
  return { name, description: about, parameters: schema, strict: strict === true }
}

type Options = { -readonly [K in keyof RequestOptions]: RequestOptions[K] }

/** Reads `tool_choice`, after `tools`. */
export function readToolChoice(options: Options, value: unknown, at: string): void {
  if (options.tools === undefined) throw invalid(`\`${at}\` needs \`tools\``)
  if (value === 'auto' || value === 'none' || value === 'required') {
    options.toolChoice = value
    return
  }
  const choice = isObject(value) ? value : {}
  if (choice.type === 'allowed_tools') return allow(options, choice.allowed_tools, at)
  if (choice.type !== 'function')
    throw invalid(
      `\`${at}\` must be none, auto, required, or an object of type function or allowed_tools`,
    )
  options.toolChoice = { name: nameOf(choice, options.tools, at) }
}

/** Only the tools that the choice names are offered. */
function allow(options: Options, value: unknown, at: string): void {
  const { mode, tools } = isObject(value) ? value : {}
  const offered = options.tools ?? []
  if (mode !== 'auto' && mode !== 'required')
    throw invalid(`\`${at}.allowed_tools.mode\` must be auto or required`)
  if (!Array.isArray(tools) || tools.length === 0)
    throw invalid(`\`${at}.allowed_tools.tools\` must be a non-empty array`)
  const names = tools.map((one: unknown) => nameOf(isObject(one) ? one : {}, offered, at))
  options.tools = offered.filter(({ name }) => names.includes(name))
  options.toolChoice = mode
}

function nameOf(
  choice: Readonly<Record<string, unknown>>,
  tools: readonly ModelTool[],
  at: string,
): string {
  const { name } = isObject(choice.function) ? choice.function : {}
  const known = tools.find((tool) => tool.name === name)
  if (known === undefined) throw invalid(`\`${at}\` must name a function of \`tools\``)
  return known.name
}

/** Of one message; each is stored and sent to the provider. */
const mostCalls = 128
const longestId = 256

/** The calls of an assistant's message; none without `tool_calls`. */
export function readToolCalls(value: unknown, at: string): Pick<TranscriptMessage, 'toolCalls'> {
  if (!isGiven(value)) return {}
  if (!Array.isArray(value) || value.length > mostCalls)
    throw invalid(`\`${at}\` must be an array of at most ${mostCalls} calls`)
  if (value.length === 0) return {}
  return { toolCalls: value.map((call: unknown, index) => readCall(call, `${at}[${index}]`)) }
}

function readCall(value: unknown, at: string): ToolCall {
  const call = isObject(value) ? value : {}
  if (call.type !== 'function') throw invalid(`\`${at}.type\` must be function`)
  const { name, arguments: written } = isObject(call.function) ? call.function : {}
  if (typeof name !== 'string' || !toolName.test(name))
    throw invalid(`\`${at}.function.name\` must be 1 to 64 letters, digits, _ or -`)
  if (typeof written !== 'string') throw invalid(`\`${at}.function.arguments\` must be a string`)
  return { id: readCallId(call.id, `${at}.id`), name, arguments: written }
}

/** The id of the call that a `tool` message answers. */
export function readCallId(value: unknown, at: string): string {
  if (typeof value !== 'string' || value === '' || value.length > longestId)
    throw invalid(`\`${at}\` must be a string of 1 to ${longestId} characters`)
  return value
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}
