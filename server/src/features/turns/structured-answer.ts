import { Fault } from '#kernel/fault.ts'
import { findUnchecked } from '#kernel/json-schema/unchecked-keyword.ts'
import { isNamed } from '#kernel/named-error.ts'
import type {
  ModelFailure,
  ModelRequest,
  Models,
  ProviderAccess,
  ResponseFormat,
  TextListener,
} from '#platform/models/model.ts'
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

type Ask = (request: ModelRequest, listener: TextListener) => Promise<Ending>

/**
 * @param ask asks the model, with its tools
 * @throws Fault answer_not_in_format
 */
export async function answerInFormat(
  model: MeteredModel,
  asked: ModelRequest,
  { format, check }: Wanted,
  ask: Ask,
  listener: TextListener,
): Promise<Ending> {
  const wanted = { ...asked, ...withSystemText(asked, ruleOf(format)) }
  const { ending: first, request } = await askLeniently(wanted, ask)
  const isAnswer = (first.toolCalls ?? []).length === 0 && first.isQuestion !== true
  if (!isAnswer || !isWhole(first)) return await say(model, model.said, first, listener)
  const written = model.saidNow
  const found = await check(written)
  if (found.ok) return await say(model, found.text, first, listener)
  const messages = [
    ...request.messages,
    { role: 'assistant' as const, content: written },
    { role: 'user' as const, content: `${repair} The problem: ${found.problem}.` },
  ]
  const second = await model.call({ ...request, messages }, hold)
  const repaired = await check(model.saidNow)
  if (repaired.ok) return await say(model, repaired.text, second, listener)
  throw new Fault(faults.answer_not_in_format, {}, { cause: new Error(repaired.problem) })
}

const repair =
  'This is not in the form that was asked for. Answer again, with nothing but the JSON.'

const hold: TextListener = () => undefined

/** An answer that was cut short says so with its finish reason. */
function isWhole({ finishReason }: Ending): boolean {
  return finishReason === 'stop'
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
  listener: TextListener,
): Promise<Ending> {
  const ending = await ask(request, hold)
  const replacement = await review(model.said)
  if (replacement === null) return await say(model, model.said, ending, listener)
  // Its passages are not shown either.
  return await say(model, replacement, { ...ending, citedPassages: [] }, listener)
}

async function say(
  model: MeteredModel,
  text: string,
  ending: Ending,
  listener: TextListener,
): Promise<Ending> {
  model.replace(text)
  if (text !== '') await listener([text])
  return ending
}

function ruleOf(format: ResponseFormat): string {
  if (format.type === 'json_object') return 'Answer with nothing but one JSON object.'
  const about = format.description === undefined ? '' : ` It is: ${format.description}`
  return `Answer with nothing but JSON that matches this JSON Schema.${about}\n${JSON.stringify(format.schema)}`
}
