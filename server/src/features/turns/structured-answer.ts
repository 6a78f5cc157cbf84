import { checkSchema, SchemaTooComplex } from '#kernel/check-schema.ts'
import { Fault } from '#kernel/fault.ts'
import { JsonProblem } from '#kernel/json.ts'
import { parseJsonInSlices } from '#kernel/json-slices.ts'
import { isNamed } from '#kernel/named-error.ts'
import type {
  ModelFailure,
  ModelRequest,
  Models,
  ProviderAccess,
  ResponseFormat,
  TextListener,
} from '#platform/models/model.ts'
import type { Ending, MeteredModel } from './metered-model.ts'
import { withSystemText } from './prompt.ts'
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

type Ask = (request: ModelRequest, listener: TextListener) => Promise<Ending>

/**
 * @param ask asks the model, with its tools
 * @throws Fault answer_not_in_format
 */
export async function answerInFormat(
  model: MeteredModel,
  asked: ModelRequest,
  format: ResponseFormat,
  ask: Ask,
  listener: TextListener,
): Promise<Ending> {
  const request = { ...asked, messages: withSystemText(asked.messages, ruleOf(format)) }
  const first = await askLeniently(request, ask)
  const isAnswer = (first.toolCalls ?? []).length === 0 && first.isQuestion !== true
  if (!isAnswer || !isWhole(first)) return await say(model, model.said, first, listener)
  const written = model.saidNow
  const found = await checkAnswer(written, format)
  if (found.ok) return await say(model, found.text, first, listener)
  const messages = [
    ...request.messages,
    { role: 'assistant' as const, content: written },
    { role: 'user' as const, content: `${repair} The problem: ${found.problem}.` },
  ]
  const second = await model.call({ ...request, messages }, hold)
  const repaired = await checkAnswer(model.saidNow, format)
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

/** Some servers refuse the field. Their models are still told about the form. */
async function askLeniently(request: ModelRequest, ask: Ask): Promise<Ending> {
  try {
    return await ask(request, hold)
  } catch (error) {
    const isRefused =
      isNamed<ModelFailure>(error, 'ModelFailure') && error.reason === 'refused_request'
    if (!isRefused || (error.field !== null && error.field !== 'responseFormat')) throw error
    const { responseFormat: _, ...plain } = request
    return await ask(plain, hold)
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

/** Longer answers are not checked. UTF-16 code units. */
const longestAnswer = 1024 * 1024
const mostValues = 100_000

type Checked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string }

/** Models like to put JSON between fences, which are no part of it. */
async function checkAnswer(answer: string, format: ResponseFormat): Promise<Checked> {
  const text = answer.trim().replace(/^```(?:json)?\s*([^]*?)\s*```$/, '$1')
  const wrong = (problem: string): Checked => ({ ok: false, problem })
  if (text.length > longestAnswer) return wrong('it is too long')
  try {
    const value: unknown = await parseJsonInSlices(text, mostValues)
    const schema = format.type === 'json_schema' ? format.schema : { type: 'object' }
    const problem = checkSchema(schema, value)
    return problem === null ? { ok: true, text } : wrong(problem)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonProblem) return wrong('it is not JSON')
    if (error instanceof SchemaTooComplex) return wrong('its schema is too complex to be checked')
    throw error
  }
}

function ruleOf(format: ResponseFormat): string {
  if (format.type === 'json_object') return 'Answer with nothing but one JSON object.'
  const about = format.description === undefined ? '' : ` It is: ${format.description}`
  return `Answer with nothing but JSON that matches this JSON Schema.${about}\n${JSON.stringify(format.schema)}`
}
