import type { RequestOptions, TranscriptMessage } from '#features/turns/index.ts'
import { isObject } from '#kernel/json.ts'
import type { ModelTool, ToolCall } from '#platform/models/model.ts'
import { invalid } from './chat-request-faults.ts'

/** The tools of a caller, their calls and their results, in OpenAI's forms. */

/**
 * Where the fields of a function are: in `function` in chat completions, beside the `type` in the
 * Responses API.
 */
export type ToolForm = 'nested' | 'flat'

type Fields = Readonly<Record<string, unknown>>

function functionOf(value: unknown, form: ToolForm): Fields {
  const outer = isObject(value) ? value : {}
  if (form === 'flat') return outer
  return isObject(outer.function) ? outer.function : {}
}

/** OpenAI's own limit. */
const mostTools = 128

/** What every provider accepts as the name of a tool. */
const toolName = /^[A-Za-z0-9_-]{1,64}$/

/** @throws Fault request_invalid */
export function readTools(
  value: unknown,
  at: string,
  form: ToolForm = 'nested',
): readonly ModelTool[] {
  if (!Array.isArray(value) || value.length > mostTools)
    throw invalid(`\`${at}\` must be an array of at most ${mostTools} tools`)
  const tools = value.map((tool: unknown, index) => readTool(tool, `${at}[${index}]`, form))
  const names = new Set<string>()
  for (const { name } of tools) {
    if (names.has(name)) throw invalid(`\`${at}\` must not hold two tools with the name ${name}`)
    names.add(name)
  }
  return tools
}

function readTool(value: unknown, outer: string, form: ToolForm): ModelTool {
  if (!isObject(value) || value.type !== 'function')
    throw invalid(`\`${outer}.type\` must be function`)
  const { name, description, parameters, strict } = functionOf(value, form)
  const at = form === 'flat' ? outer : `${outer}.function`
  if (form === 'flat') requireDirect(value, at)
  requireToolName(name, `${at}.name`)
  const about = description ?? ''
  if (typeof about !== 'string') throw invalid(`\`${at}.description\` must be a string`)
  // OpenAI: a function without parameters has an empty list of them.
  const schema = parameters ?? { type: 'object', properties: {} }
  if (!isObject(schema)) throw invalid(`\`${at}.parameters\` must be an object`)
  if (isGiven(strict) && typeof strict !== 'boolean')
    throw invalid(`\`${at}.strict\` must be a boolean`)
  return { name, description: about, parameters: schema, strict: strict === true }
}

/** Fields of the Responses API that change when a function is called, or by whom. */
function requireDirect(tool: Fields, at: string): void {
  for (const field of ['async', 'defer_loading'])
    if (isGiven(tool[field]) && tool[field] !== false)
      throw invalid(
        `\`${at}.${field}\` must be false: the model calls the function itself, and waits`,
      )
  const { allowed_callers: callers } = tool
  if (isGiven(callers) && !(Array.isArray(callers) && callers.includes('direct')))
    throw invalid(`\`${at}.allowed_callers\` must contain direct: no program calls tools`)
}

type Options = { -readonly [K in keyof RequestOptions]: RequestOptions[K] }

/** Reads `tool_choice`, after `tools`. */
export function readToolChoice(
  options: Options,
  value: unknown,
  at: string,
  form: ToolForm = 'nested',
): void {
  if (options.tools === undefined) throw invalid(`\`${at}\` needs \`tools\``)
  if (value === 'auto' || value === 'none' || value === 'required') {
    options.toolChoice = value
    return
  }
  const choice = isObject(value) ? value : {}
  if (choice.type === 'allowed_tools') return allow(options, choice, at, form)
  if (choice.type !== 'function')
    throw invalid(
      `\`${at}\` must be none, auto, required, or an object of type function or allowed_tools`,
    )
  options.toolChoice = { name: nameOf(functionOf(choice, form), options.tools, at) }
}

/** Only the tools that the choice names are offered. */
function allow(options: Options, choice: Fields, at: string, form: ToolForm): void {
  const isFlat = form === 'flat'
  const given = isFlat ? choice : choice.allowed_tools
  const { mode, tools } = isObject(given) ? given : {}
  const inside = isFlat ? at : `${at}.allowed_tools`
  const offered = options.tools ?? []
  // Open Responses has a default and a third value; chat completions have neither.
  const known = isFlat ? (mode ?? 'auto') : mode
  if (known !== 'auto' && known !== 'required' && !(isFlat && known === 'none'))
    throw invalid(`\`${inside}.mode\` must be ${isFlat ? 'none, ' : ''}auto or required`)
  if (!Array.isArray(tools) || tools.length === 0)
    throw invalid(`\`${inside}.tools\` must be a non-empty array`)
  const names = new Set(tools.map((one: unknown) => nameOf(functionOf(one, form), offered, at)))
  options.tools = offered.filter(({ name }) => names.has(name))
  options.toolChoice = known
}

function nameOf({ name }: Fields, tools: readonly ModelTool[], at: string): string {
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
  const made = readMadeCall(functionOf(call, 'nested'), `${at}.function`)
  return { id: readCallId(call.id, `${at}.id`), ...made }
}

/** The name and the arguments of a call. */
export function readMadeCall(
  { name, arguments: written }: Fields,
  at: string,
): Omit<ToolCall, 'id'> {
  requireToolName(name, `${at}.name`)
  if (typeof written !== 'string') throw invalid(`\`${at}.arguments\` must be a string`)
  return { name, arguments: written }
}

function requireToolName(name: unknown, at: string): asserts name is string {
  if (typeof name !== 'string' || !toolName.test(name))
    throw invalid(`\`${at}\` must be 1 to 64 letters, digits, _ or -`)
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
