import type { TurnCredits } from '#features/credits/index.ts'
import { retrievePassages } from '#features/retrieval/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type {
  ModelEvent,
  ModelFinish,
  ModelRequest,
  ModelUsage,
  Passage,
} from '#platform/models/model.ts'
import { citationsOf, type Citation } from './citations.ts'
import { closeTurn } from './close-turn.ts'
import { turnFaults as faults } from './turn-faults.ts'
import { modelsWithin, openCredits } from './hold-credits.ts'
import { modelOf } from './model-of.ts'
import { asTurnFault } from './model-faults.ts'
import { openSession, type OpenSession, type SessionRequest } from './open-session.ts'
import { OwedUsage } from './owed-usage.ts'
import { trackTurn } from './running-turns.ts'
import { keepLease } from './session-lease.ts'
import { isQuestion, lastQuestion, toModelMessages } from './transcript.ts'
import { buildPrompt } from './turn-prompt.ts'
import { reportRounds } from './report-rounds.ts'
import { callWithTools, usesTools, type ModelCall } from './turn-tools.ts'

export type TurnInput = SessionRequest

export interface TurnResult {
  readonly text: string
  readonly finishReason: string
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number }
  readonly citations: readonly Citation[]
}

export interface Turn {
  readonly sessionId: string
  /** The id of the answer, settled before its first word. */
  readonly messageId: string
  /**
   * What the model says, as it comes; empty for a turn that does not stream. The caller must read
   * it to its end or abort the signal. It ends when the model has ended; `done` is the commit.
   */
  readonly events: AsyncIterable<readonly ModelEvent[]>
  /** Resolves when the answer is stored; rejects with a Fault when it is not whole. */
  readonly done: Promise<TurnResult>
}

type TurnContext = Pick<
  Context,
  'db' | 'clock' | 'config' | 'log' | 'models' | 'vault' | 'outbound' | 'remoteTools'
>

/**
 * One chat turn: session, knowledge, model, answer. What can be refused is refused here, before the
 * first event; later the turn stores what was said, whole or not.
 *
 * @throws Fault session_unknown, session_queue_full, images_not_supported, model_not_configured,
 *   turn_aborted, credits_used_up, credit_cap_reached
 */
export async function startTurn(
  ctx: TurnContext,
  input: TurnInput,
  signal: AbortSignal,
): Promise<Turn> {
  const startedAt = ctx.clock.now()
  const model = await modelOf(ctx, input)
  const messageId = newId(startedAt)
  const credits = await openCredits(ctx, input, { messageId, startedAt })
  if (credits.isLimited) signal.addEventListener('abort', () => credits.end(), { once: true })
  const session = await openSession(ctx, input, signal).catch(async (error: unknown) => {
    await credits.release()
    throw error
  })
  const outcome = Promise.withResolvers<TurnResult>()
  trackTurn(outcome.promise)
  const running = {
    ctx,
    input,
    signal,
    startedAt,
    model,
    session,
    credits,
    messageId,
    outcome,
    owed: new OwedUsage(),
    ...nothingYet,
  }
  const events = input.stream ? streamAnswer(running) : noEvents
  if (!input.stream) void answerWhole(running)
  return { sessionId: session.id, messageId, events, done: outcome.promise }
}

const nothingYet = {
  text: '',
  firstTokenMs: null,
  passages: [],
} as const

const noEvents: AsyncIterable<readonly ModelEvent[]> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
}

/** A turn under way; `text`, `firstTokenMs` and `passages` fill up as it goes. */
interface RunningTurn {
  readonly ctx: TurnContext
  readonly input: TurnInput
  readonly signal: AbortSignal
  readonly startedAt: number
  readonly model: Awaited<ReturnType<typeof modelOf>>
  readonly session: OpenSession
  readonly credits: TurnCredits
  readonly messageId: string
  readonly outcome: PromiseWithResolvers<TurnResult>
  passages: readonly Passage[]
  text: string
  firstTokenMs: number | null
  readonly owed: OwedUsage
}

async function answerWhole(turn: RunningTurn): Promise<void> {
  const stopKeeping = keepTurn(turn)
  let call: ModelCall | null = null
  try {
    call = await modelCall(turn)
    const answer = await call.adapter.complete(call.request)
    turn.text = answer.text
    turn.outcome.resolve(await storeAnswer(turn, answer))
  } catch (error) {
    turn.outcome.reject(await storeFailure(turn, error))
  } finally {
    stopKeeping()
    call?.end()
  }
}

async function* streamAnswer(turn: RunningTurn): AsyncGenerator<readonly ModelEvent[]> {
  const stopKeeping = keepTurn(turn)
  let call: ModelCall | null = null
  let finish: ModelFinish | null = null
  let ended = false
  try {
    call = await modelCall(turn)
    for await (const batch of call.adapter.stream(call.request)) {
      finish = collect(turn, batch) ?? finish
      yield batch
    }
    ended = true
    turn.outcome.resolve(await storeAnswer(turn, finish ?? unfinished()))
  } catch (error) {
    ended = true
    turn.outcome.reject(await storeFailure(turn, error))
  } finally {
    stopKeeping()
    call?.end()
    // The reader stopped between two batches, which ends a generator here without an error.
    if (!ended) turn.outcome.reject(await storeFailure(turn, new Fault(faults.turn_aborted)))
  }
}

/**
 * Keeps the lease of the session while the turn runs. @returns ends that, and the renewal of its
 * reserved credits
 */
function keepTurn({ ctx, session, credits }: RunningTurn): () => void {
  const { id, leaseToken } = session
  const stopKeeping = leaseToken === null ? nothing : keepLease(ctx, id, leaseToken)
  return () => {
    stopKeeping()
    credits.end()
  }
}

async function modelCall(turn: RunningTurn): Promise<ModelCall> {
  const request = await modelRequest(turn)
  const { ctx, input, session, credits, messageId } = turn
  const models = modelsWithin(credits, turn.owed.noting(ctx.models), ctx.config)
  if (!usesTools(input.agent, request)) return { adapter: models, request, end: nothing }
  const { agent, endUser } = input
  const owed = (usage: ModelUsage) => turn.owed.endRound(usage, turn.text)
  return await callWithTools(
    { ...ctx, models: reportRounds(models, owed) },
    { agent, session, credits, messageId, endUser },
    request,
  )
}

function nothing(): void {}

async function modelRequest(turn: RunningTurn): Promise<ModelRequest> {
  const { input, model, session, signal } = turn
  const { settings, hasKnowledge } = input.agent
  if (hasKnowledge) {
    const { id, workspaceId } = input.agent
    const agent = { id, workspaceId, retrieval: settings.retrieval }
    const { keyId, endUser } = turn.credits.consumer
    const of = { sessionId: session.id, messageId: turn.messageId, keyId, endUser }
    const question = lastQuestion(session.transcript)
    turn.passages = await retrievePassages(turn.ctx, agent, question, { turn: of, signal })
  }
  const conversation = toModelMessages(session.transcript, model.sees)
  return {
    model: model.name,
    access: model.access,
    messages: buildPrompt(settings.system_prompt, turn.passages, conversation),
    passages: turn.passages,
    temperature: settings.temperature,
    maxOutputTokens: settings.max_output_tokens,
    signal,
  }
}

function collect(turn: RunningTurn, batch: readonly ModelEvent[]): ModelFinish | null {
  let finish: ModelFinish | null = null
  for (const event of batch) {
    if (event.type === 'finish') finish = event
    else turn.text += event.text
  }
  if (turn.text !== '') turn.firstTokenMs ??= turn.ctx.clock.now() - turn.startedAt
  return finish
}

async function storeAnswer(turn: RunningTurn, finish: ModelFinish): Promise<TurnResult> {
  const { text, passages } = turn
  const usage = finish.usage ?? (await countUsage(turn))
  const citations = citationsOf(passages, text, finish.citedPassages)
  const unanswered = citations.length === 0 && hadNothing(turn, finish)
  const { finishReason } = finish
  await close(turn, { usage, citations, unanswered, finishReason, errorCode: null })
  return { text, finishReason: finish.finishReason, usage, citations }
}

/** True when knowledge was searched in vain: the model says so, or there was no passage. */
function hadNothing({ input, passages, session }: RunningTurn, finish: ModelFinish): boolean {
  if (finish.foundNothing !== undefined) return finish.foundNothing
  if (!input.agent.hasKnowledge || passages.length > 0) return false
  return isQuestion(lastQuestion(session.transcript))
}

/** Stores what was said so far, marked with its error. @returns the error for the caller */
async function storeFailure(turn: RunningTurn, error: unknown): Promise<unknown> {
  const told = asTurnFault(error, turn.signal)
  const errorCode = told instanceof Fault ? told.code : 'internal'
  try {
    const hungUp = errorCode === faults.turn_aborted.code
    const usage = await turn.owed.usage(turn.ctx.models, turn.text, { hungUp })
    const nothing = { citations: [], unanswered: false, finishReason: null }
    await close(turn, { usage, ...nothing, errorCode })
  } catch (cause) {
    turn.ctx.log.error({ err: cause, sessionId: turn.session.id }, 'a failed turn was not stored')
  }
  return told
}

async function countUsage(turn: RunningTurn): Promise<TurnResult['usage']> {
  const { input, passages, session, model } = turn
  const conversation = toModelMessages(session.transcript, model.sees)
  const prompt = buildPrompt(input.agent.settings.system_prompt, passages, conversation)
  return await turn.ctx.models.countUsage(prompt, turn.text)
}

interface Closing {
  readonly usage: TurnResult['usage']
  readonly citations: readonly Citation[]
  readonly unanswered: boolean
  readonly finishReason: string | null
  readonly errorCode: string | null
}

async function close(turn: RunningTurn, closing: Closing): Promise<void> {
  const { ctx, input, messageId, text } = turn
  const latencyMs = ctx.clock.now() - turn.startedAt
  await closeTurn(ctx, turn.session, turn.credits, {
    ...closing,
    messageId,
    text,
    model: input.agent.settings.model,
    latencyMs,
    firstTokenMs: turn.firstTokenMs,
    correlationId: input.correlationId,
  })
}

/** The port promises a finish; an adapter that breaks the promise is a fault of ours. */
function unfinished(): never {
  throw new Error('the model adapter ended its stream without a finish event')
}
