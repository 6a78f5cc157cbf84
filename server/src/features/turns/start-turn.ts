import { retrievePassages, type FoundKnowledge } from '#features/retrieval/index.ts'
import { newId } from '#kernel/ids.ts'
import { inSpan } from '#kernel/spans.ts'
import type { AnswerListener, ModelRequest } from '#platform/models/model.ts'
import { keepingReasoning, reviewOf } from './keep-reasoning.ts'
import { applyOptions, modelFields } from './apply-options.ts'
import { countTurn, requireMessageRoom } from './authenticate-caller.ts'
import { buildPrompt } from './build-prompt.ts'
import { callersOf, callWithTools, requireOwnNames } from './caller-tools.ts'
import { readFiles, withImagesToFetch, withQuotedFiles } from './files-of-turn.ts'
import { checkAnswer } from './check-answer.ts'
import { keepsPartial, storeAnswer, storeFailure } from './close-turn.ts'
import { FallbackModels } from './fallback-models.ts'
import { modelOf } from './find-model.ts'
import { MeteredModel, type Ending } from './metered-model.ts'
import { keepLease, openSession } from './open-session.ts'
import type { SessionRequest } from './session-request.ts'
import { isQuoted, lastQuestion, mustReadFiles, toModelMessages } from './prompt.ts'
import {
  answerInFormat,
  isHeld as isHeldBack,
  requireCheckable,
  reviewAnswer,
} from './structured-answer.ts'
import { withSummary } from './session-memory.ts'
import { recalled } from './summary-prompt.ts'
import { answerWithTools, toolTurnOf } from './tool-loop.ts'
import { withUserClaims } from './user-claims.ts'
import type { RunningTurn, Turn, TurnContext, TurnResult } from './turn.ts'

/** The turns that run in this process. A shutdown waits until each is stored. */
const running = new Set<Promise<unknown>>()

/** Resolves when no turn is running: every answer, complete or partial, is stored. */
export async function settleTurns(): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running)
}

/**
 * One chat turn: session, knowledge, model, answer. Everything that can be refused is refused here,
 * before the first event. If the turn fails later, it stores the answer so far.
 *
 * @throws Fault agent_rate_limited, turns_limited, limit_reached, session_unknown, session_moved_on, session_queue_full,
 *   images_not_supported, audio_not_supported, model_invalid, model_not_configured, turn_aborted, credits_used_up,
 *   credit_cap_reached, field_forbidden, field_out_of_bounds, field_not_supported, schema_unchecked, files_not_supported, those of fileFaults
 */
export async function startTurn(
  ctx: TurnContext,
  asked: SessionRequest,
  signal: AbortSignal,
): Promise<Turn> {
  await countTurn(ctx, asked.agent)
  if (asked.store) requireMessageRoom(ctx, asked.agent)
  const isTemplate = asked.agent.settings.system_prompt.includes('{{')
  const filled = isTemplate ? withUserClaims(asked) : asked
  const plain = asked.options === undefined ? filled : applyOptions(ctx, filled, asked.options)
  if (plain.options?.tools !== undefined) await requireOwnNames(ctx, plain)
  const startedAt = ctx.clock.now()
  const provider = await modelOf(ctx, plain)
  const wanted = provider.fetches ? plain : withImagesToFetch(plain)
  const messageId = asked.messageId ?? newId(startedAt)
  const mayHold = wanted.options !== undefined || wanted.review !== undefined
  const isHeld = mayHold && isHeldBack(ctx, wanted, provider.access)
  if (isHeld) requireCheckable(ctx, wanted.options?.responseFormat, provider.access)
  const metered = isHeld ? { ...wanted, stream: false } : wanted
  const isAlone = wanted.agent.settings.fallback_models.length === 0
  const fallbacks = isAlone ? null : new FallbackModels(ctx, wanted, provider, isHeld)
  const model = await MeteredModel.open(ctx, metered, {
    messageId,
    startedAt,
    modelId: provider.id,
    fallbacks,
  })
  const { credits } = model
  if (credits.isLimited) signal.addEventListener('abort', () => credits.end(), { once: true })
  const { input, session } = await beginTurn(ctx, wanted, signal).catch(async (error: unknown) => {
    await credits.release()
    throw error
  })
  const begun = { ctx, input, signal, provider, model, session, messageId, isHeld }
  const running = { ...begun, passages: [], reasoning: '' }
  const { id: sessionId, firstSeq, storing: stored } = session
  const answer: Turn['answer'] = (listener = () => undefined, also = {}) => {
    const { reasoning: hearReasoning, calls: hearCalls } = also
    // An answer that is held back shows nothing until it is complete.
    const turn = isHeld ? running : { ...running, hearReasoning, hearCalls }
    return track(inSpan('invoke_agent', {}, () => answerTurn(turn, listener)))
  }
  const answeredBy = () => (isAlone ? null : credits.model)
  return { sessionId, messageId, firstSeq, stored, answer, answeredBy }
}

/** Files are read when credits are reserved, and before anything is stored. */
async function beginTurn(ctx: TurnContext, wanted: SessionRequest, signal: AbortSignal) {
  const input = mustReadFiles(wanted) ? await readFiles(ctx, wanted, signal) : wanted
  const opened = await openSession(ctx, input, signal)
  const remembers = input.agent.settings.memory !== 'none'
  return { input, session: remembers ? await withSummary(ctx, opened, input.branch) : opened }
}

function track(answer: Promise<TurnResult>): Promise<TurnResult> {
  const forget = () => running.delete(answer)
  running.add(answer)
  answer.then(forget, forget)
  return answer
}

async function answerTurn(turn: RunningTurn, listener: AnswerListener): Promise<TurnResult> {
  const { ctx, input, session, model, messageId } = turn
  const { correlationId } = input
  const kept = { messageId, correlationId, stream: keepsPartial(turn), answer: model }
  turn.lease = keepLease(ctx, session, kept)
  try {
    return await storeAnswer(turn, await askModel(turn, listener))
  } catch (error) {
    throw await storeFailure(turn, error)
  } finally {
    turn.lease?.end()
    model.credits.end()
  }
}

async function askModel(turn: RunningTurn, listener: AnswerListener): Promise<Ending> {
  const { model, input } = turn
  const request = await modelRequest(turn)
  if (!turn.isHeld) return await askWithTools(turn, request, listener)
  const ask = (wanted: ModelRequest, heard: AnswerListener) => askWithTools(turn, wanted, heard)
  const { review, options } = input
  if (review !== undefined)
    return await reviewAnswer(model, request, reviewOf(turn, review), ask, listener)
  const format = options?.responseFormat
  // Only an answer whose format is checked, or one that is reviewed, is held back.
  if (format === undefined) throw new TypeError('a held answer without a form')
  const of = { workspaceId: input.agent.workspaceId, signal: turn.signal }
  const check = (answer: string) => checkAnswer(turn.ctx, answer, format, of)
  return await answerInFormat(model, request, { format, check }, ask, listener)
}

async function askWithTools(
  turn: RunningTurn,
  request: ModelRequest,
  listener: AnswerListener,
): Promise<Ending> {
  const { ctx, input, model } = turn
  const { agent, options } = input
  const maxSteps = agent.settings.max_tool_steps
  // Only the built-in model has no address, and it cannot call tools.
  if (!agent.hasTools || maxSteps === 0 || request.access.baseUrl === null)
    return options?.tools === undefined
      ? await model.call(request, listener)
      : await callWithTools(model, request, options, listener)
  const wanted = { maxSteps, ...callersOf(options) }
  return await answerWithTools(ctx, model, toolTurnOf(turn), wanted, request, listener)
}

async function modelRequest(turn: RunningTurn): Promise<ModelRequest> {
  const { ctx, input, provider, session, signal, messageId } = turn
  const { id, workspaceId, settings, hasKnowledge } = input.agent
  const { model, access } = provider
  // Only the built-in model has no address. It ranks the passages itself.
  const isWide = access.baseUrl === null
  let found: FoundKnowledge | null = null
  if (hasKnowledge) {
    const agent = { id, workspaceId, retrieval: settings.retrieval }
    const { keyId, endUser } = turn.model.credits.consumer
    const of = { sessionId: session.id, messageId, keyId, endUser }
    const question = lastQuestion(session.transcript)
    found = await retrievePassages(ctx, agent, question, { turn: of, signal, isWide })
    turn.passages = found.passages
  }
  const { passages } = turn
  // Usage counts what any model would read.
  const counted = isWide ? passages.slice(0, settings.retrieval.top_k) : passages
  const hearReasoning = settings.store_reasoning ? keepingReasoning(turn) : turn.hearReasoning
  const { transcript, summary } = session
  const quoted = isQuoted(transcript)
    ? transcript
    : await withQuotedFiles(transcript, ctx.config.chatFileTextPerTurn)
  const said = toModelMessages(quoted, provider)
  const conversation = summary === undefined ? said : [recalled(summary.text), ...said]
  return {
    model,
    access,
    ...buildPrompt(settings.system_prompt, { passages: counted, hasKnowledge }, conversation),
    passages,
    ...found,
    temperature: settings.temperature,
    maxOutputTokens: settings.max_output_tokens,
    ...(input.options === undefined ? {} : modelFields(input.options)),
    ...(hearReasoning === undefined ? {} : { hearReasoning }),
    ...(input.options?.tools === undefined ? {} : { hearCalls: turn.hearCalls }),
    signal,
  }
}
