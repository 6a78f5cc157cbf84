import { Fault } from '#kernel/fault.ts'
import { findUnchecked } from '#kernel/json-schema/unchecked-keyword.ts'
import { isNamed } from '#kernel/named-error.ts'
import { splitRefusal } from '#kernel/refusal.ts'
import type {
  AnswerListener,
  ModelFailure,
  ModelRequest,
  Models,
  ProviderAccess,
  ResponseFormat,
} from '#platform/models/model.ts'
import { hasResults } from './caller-tools.ts'
import type { Checked } from './check-answer.ts'
import type { Ending, MeteredModel } from './metered-model.ts'
import { withSystemText } from './build-prompt.ts'
import type { SessionRequest } from './session-request.ts'
import { turnFaults as faults } from './turn-faults.ts'

/**
 * Answers in the form that a request wants. Where the provider holds its model to the form, its answer is
 * passed on as it arrives. Elsewhere the answer is held back until it is checked, and asked for again once.
 */

/** Whether the answer is held back until it is complete. */
export function isHeld(
  { models }: { readonly models: Pick<Models, 'enforces'> },
  { options, agent, review }: SessionRequest,
  access: ProviderAccess,
): boolean {
  if (review !== undefined) return true
  const format = options?.responseFormat
  if (format === undefined) return false
  // What the model writes between calls of the agent's own tools is no part of the answer.
  const hasRounds = agent.hasTools && agent.settings.max_tool_steps > 0
  return hasRounds || !models.enforces(access, format)
}

/**
 * Refuses a schema that cannot be checked. Where the provider enforces it, the check of an answer between
 * calls of the agent's tools does what it can.
 *
 * @throws Fault schema_unchecked
 */
export function requireCheckable(
  { models }: { readonly models: Pick<Models, 'enforces'> },
  format: ResponseFormat | undefined,
  access: ProviderAccess,
): void {
  if (format?.type !== 'json_schema' || models.enforces(access, format)) return
  const found = findUnchecked(format.schema)
  if (found !== null) throw new Fault(faults.schema_unchecked, found)
}

/** The form that an answer must have. */
interface Wanted {
  readonly format: ResponseFormat
  readonly check: (answer: string) => Promise<Checked>
}

type Ask = (request: ModelRequest, listener: AnswerListener) => Promise<Ending>

/**
 * @param ask asks the model, with its tools
 * @throws Fault answer_not_in_format
 */
export async function answerInFormat(
  model: MeteredModel,
  asked: ModelRequest,
  { format, check }: Wanted,
  ask: Ask,
  listener: AnswerListener,
): Promise<Ending> {
  const wanted = { ...asked, ...withSystemText(asked, ruleOf(format)) }
  const { ending: first, request } = await askLeniently(wanted, ask)
  const isAnswer = (first.toolCalls ?? []).length === 0 && first.isQuestion !== true
  if (!isAnswer || hasNoForm(model, first)) return await say(model, first, listener)
  const written = model.saidNow
  const found = await check(written)
  if (found.ok) return await say(model, first, listener, found.text)
  const again = repairOf(request, first, written, found.problem)
  const { toolCalls: _, ...second } = await model.call(again, hold)
  if (hasNoForm(model, second)) {
    const { refusal } = splitRefusal(model.said, model.refusedFrom)
    model.replace(refusal ?? model.saidNow, refusal === null ? null : 0)
    return await say(model, second, listener)
  }
  const repaired = await check(model.saidNow)
  if (repaired.ok) return await say(model, second, listener, repaired.text)
  throw new Fault(faults.answer_not_in_format, {}, { cause: new Error(repaired.problem) })
}

/**
 * The request for the same answer in its form. The model keeps what its calls of tools gave, and makes no
 * further calls: it has written its answer, and an action must not be done twice.
 */
function repairOf(
  asked: ModelRequest,
  { read = asked }: Ending,
  written: string,
  problem: string,
): ModelRequest {
  const { tools: _, ...request } = asked
  const { tools = [] } = read
  return {
    ...request,
    messages: [
      ...read.messages,
      { role: 'assistant', content: written },
      { role: 'user', content: `${repair} The problem: ${problem}.` },
    ],
    ...(tools.length > 0 && hasResults(read) ? { tools, toolChoice: 'none' } : {}),
  }
}

const repair =
  'This is not in the form that was asked for. Answer again, with nothing but the JSON.'

const hold: AnswerListener = () => undefined

/** An answer that was cut short says so with its finish reason, and a refusal has no form. */
function hasNoForm({ refusedFrom }: MeteredModel, { finishReason }: Ending): boolean {
  return refusedFrom !== null || finishReason === 'length' || finishReason === 'content_filter'
}

/**
 * Some servers refuse the field. Their models are still told about the form.
 *
 * @returns the answer, and the request that the server accepted
 */
async function askLeniently(
  request: ModelRequest,
  ask: Ask,
): Promise<{ readonly ending: Ending; readonly request: ModelRequest }> {
  try {
    return { ending: await ask(request, hold), request }
  } catch (error) {
    const isRefused =
      isNamed<ModelFailure>(error, 'ModelFailure') && error.reason === 'refused_request'
    if (!isRefused || (error.field !== null && error.field !== 'responseFormat')) throw error
    const { responseFormat: _, ...plain } = request
    return { ending: await ask(plain, hold), request: plain }
  }
}

/** Shows an answer that has been held back, or what replaces it. */
export async function reviewAnswer(
  model: MeteredModel,
  request: ModelRequest,
  review: NonNullable<SessionRequest['review']>,
  ask: Ask,
  listener: AnswerListener,
): Promise<Ending> {
  const ending = await ask(request, hold)
  const replacement = await review(model.said)
  if (replacement === null) return await say(model, ending, listener)
  // Its passages are not shown either.
  return await say(model, { ...ending, citedPassages: [] }, listener, replacement)
}

/** @param text what is shown in place of what the model wrote */
async function say(
  model: MeteredModel,
  ending: Ending,
  listener: AnswerListener,
  text?: string,
): Promise<Ending> {
  if (text !== undefined) model.replace(text)
  const { said, refusal } = splitRefusal(model.said, model.refusedFrom)
  if (said !== '') await listener([said])
  if (refusal !== null) await listener([refusal], true)
  return ending
}

function ruleOf(format: ResponseFormat): string {
  if (format.type === 'json_object') return 'Answer with nothing but one JSON object.'
  const about = format.description === undefined ? '' : ` It is: ${format.description}`
  return `Answer with nothing but JSON that matches this JSON Schema.${about}\n${JSON.stringify(format.schema)}`
}
