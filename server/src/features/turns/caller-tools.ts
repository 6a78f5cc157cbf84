import { enabledActionNames } from '#features/actions/index.ts'
import { knownRemoteNames, remoteNameSeparator } from '#features/tool-servers/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type {
  AnswerListener,
  CallListener,
  CallPiece,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ToolCall,
  ToolChoice,
} from '#platform/models/model.ts'
import type { Ending, MeteredModel } from './metered-model.ts'
import type { RequestOptions, SessionRequest } from './session-request.ts'
import { turnFaults as faults } from './turn-faults.ts'

/** The tools whose calls the caller makes. A turn that ends with such calls continues with their results. */

/**
 * Refuses a tool with the name of one of the agent's own before anything is stored. A remote tool that its
 * server did not list before is known only when the server has been asked: `requireFreeNames`.
 *
 * @throws Fault tool_name_taken
 */
export async function requireOwnNames(
  { db }: Pick<Context, 'db'>,
  { agent, options }: SessionRequest,
): Promise<void> {
  const tools = options?.tools ?? []
  if (tools.length === 0 || !agent.hasTools) return
  requireFreeNames(tools, await enabledActionNames(db.read, agent.id))
  if (tools.some(({ name }) => name.includes(remoteNameSeparator)))
    requireFreeNames(tools, await knownRemoteNames(db.read, agent.id))
}

/** @throws Fault tool_name_taken */
export function requireFreeNames(tools: readonly ModelTool[], taken: readonly string[]): void {
  const found = tools.find(({ name }) => taken.includes(name))
  if (found !== undefined) throw new Fault(faults.tool_name_taken, { name: found.name })
}

/**
 * One call of the model with the caller's tools alone. Tools that must not be called are not sent, unless
 * earlier messages have calls: some providers refuse those without the definitions.
 */
export async function callWithTools(
  model: MeteredModel,
  request: ModelRequest,
  { tools = [], toolChoice = 'auto', parallelToolCalls }: RequestOptions,
  listener: AnswerListener,
): Promise<Ending> {
  if (toolChoice === 'none' && !hasResults(request)) return await model.call(request, listener)
  const parallel = parallelToolCalls === undefined ? {} : { parallelToolCalls }
  const answer = await model.call({ ...request, tools, toolChoice, ...parallel }, listener)
  const { text: content, toolCalls, thoughts } = answer
  const read = { messages: request.messages, tools }
  if (toolCalls === undefined || thoughts === undefined) return { ...answer, read }
  return { ...answer, read, steps: [{ role: 'assistant', content, toolCalls, thoughts }] }
}

/** Whether the model reads results of calls: some providers then want the definitions of the tools. */
export function hasResults({ messages }: Pick<ModelRequest, 'messages'>): boolean {
  return messages.some(({ role }) => role === 'tool')
}

/** The caller's part in the loop of an agent with tools of its own. */
export interface CallerTools {
  readonly callers: readonly ModelTool[]
  readonly choice: ToolChoice
  readonly parallel: Pick<ModelRequest, 'parallelToolCalls'>
}

/** With the choice `none` the agent's own tools are still called. */
export function callersOf(options: RequestOptions | undefined): CallerTools {
  const { tools = [], toolChoice = 'auto', parallelToolCalls } = options ?? {}
  return {
    callers: toolChoice === 'none' ? [] : tools,
    choice: toolChoice === 'none' ? 'auto' : toolChoice,
    parallel: parallelToolCalls === undefined ? {} : { parallelToolCalls },
  }
}

interface Offer extends Pick<ModelRequest, 'toolChoice' | 'parallelToolCalls'> {
  readonly tools: readonly ModelTool[]
}

/**
 * What a call of the model is offered. Without further steps the agent's own tools cannot be called, but
 * a choice of the caller still counts.
 */
export function offerOf(
  own: readonly ModelTool[],
  { callers, choice, parallel }: CallerTools,
  mayCall: boolean,
): Offer {
  const tools = [...own, ...callers]
  if (mayCall) return { tools, toolChoice: choice, ...parallel }
  if (choice === 'auto') return { tools, toolChoice: 'none' }
  return { tools: callers, toolChoice: choice, ...parallel }
}

/** Passes on the pieces of some calls, with their places among these. */
export function onlyCalls(
  isWanted: (call: Pick<ToolCall, 'name'>) => boolean,
  hear: CallListener | undefined,
): CallListener | undefined {
  if (hear === undefined) return undefined
  const places = new Map<number, number>()
  const placeOf = ({ n }: CallPiece) => {
    const place = places.get(n) ?? places.size
    places.set(n, place)
    return place
  }
  return (pieces) => {
    const wanted = pieces.filter(isWanted).map((piece) => ({ ...piece, n: placeOf(piece) }))
    return wanted.length > 0 ? hear(wanted) : undefined
  }
}

/** The results of the caller's calls while a question to the user must end the answer. */
export function notMade(calls: readonly ToolCall[]): ModelMessage[] {
  return calls.map(({ id, name }) => ({
    role: 'tool',
    content: 'Not done: the user must first confirm another call. End your answer now.',
    toolCallId: id,
    toolName: name,
  }))
}
