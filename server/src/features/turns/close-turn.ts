import { bookUnstoredTurn } from '#features/credits/index.ts'
import { Fault } from '#kernel/fault.ts'
import { tallyTurn } from '#kernel/tallies.ts'
import { fieldsOf } from './apply-options.ts'
import { storedCalls } from './keep-reasoning.ts'
import type { Ending } from './metered-model.ts'
import { storeStreamed } from './partial-store.ts'
import { citationsOf, hadNothing } from './prompt.ts'
import { sessionReleases } from './session-lease.ts'
import { rememberOlder } from './session-memory.ts'
import type { Closing, RunningTurn, TurnResult } from './turn.ts'
import { asTurnFault, turnFaults as faults } from './turn-faults.ts'
import { storeClosing } from './turn-store.ts'
import { storeWhole } from './whole-turn-store.ts'

/** Stores the complete answer. */
export async function storeAnswer(turn: RunningTurn, ending: Ending): Promise<TurnResult> {
  const { usage, said: text, refusedFrom } = turn.model
  const { finishReason, citedPassages, foundNothing, steps } = ending
  const { input, passages, session } = turn
  const toolCalls = (input.options?.tools && ending.toolCalls) ?? []
  const waits = toolCalls.length > 0
  // A refusal rests on nothing.
  const isBare = refusedFrom === 0 || (waits && text === '')
  const cited = isBare ? [] : citationsOf(passages, text, citedPassages)
  const citations = (await input.reviewCitations?.(cited)) ?? cited
  const unanswered =
    !waits &&
    cited.length === 0 &&
    hadNothing(foundNothing, input.agent.hasKnowledge, passages, session.transcript)
  const isPlain = !waits && refusedFrom === null
  const calls = isPlain ? null : storedCalls(input, text, { toolCalls, steps, refusedFrom })
  await close(turn, { text, usage, citations, unanswered, finishReason, errorCode: null, calls })
  if (input.agent.settings.memory !== 'none' && session.leaseToken !== null)
    await rememberOlder(turn.ctx, input, session)
  return { text, refusedFrom, finishReason, usage, citations, toolCalls }
}

/** Whether what is written of an answer is stored if the answer is cut short. */
export function keepsPartial({ input, isHeld }: RunningTurn): boolean {
  return input.stream && !isHeld && input.isRepeatable !== true
}

/** Stores the answer so far with its error code. @returns the error for the caller */
export async function storeFailure(turn: RunningTurn, error: unknown): Promise<unknown> {
  const { ctx, input, model, session, signal } = turn
  const fields = input.options === undefined ? [] : fieldsOf(input.options)
  const fault = asTurnFault(error, signal, { model: input.agent.appNameId, fields })
  const errorCode = fault instanceof Fault ? fault.code : 'internal'
  // A client that does not stream has received no part of the answer.
  const text = keepsPartial(turn) ? model.said : ''
  if (input.review !== undefined) turn.reasoning = ''
  try {
    const usage = await model.usageOfFailed({
      disconnected: errorCode === faults.turn_aborted.code,
    })
    const calls = text === '' ? null : storedCalls(input, text, { refusedFrom: model.refusedFrom })
    const nothing = { citations: [], unanswered: false, finishReason: null, calls }
    await close(turn, { text, usage, ...nothing, errorCode })
  } catch (cause) {
    ctx.log.error({ err: cause, sessionId: session.id }, 'a failed turn was not stored')
  }
  return fault
}

/**
 * Stores the answer, books its cost and frees the session, all in one write. With `store: false` it
 * only books the cost.
 */
async function close(turn: RunningTurn, closing: Closing): Promise<void> {
  const { ctx, input, session, messageId } = turn
  const { credits, firstTokenMs } = turn.model
  const { usage, citations, unanswered } = closing
  const now = ctx.clock.now()
  const ended = {
    ...credits.chargeFor(usage),
    model: credits.model,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cached_tokens: usage.cachedTokens ?? null,
    reasoning_tokens: usage.reasoningTokens ?? null,
    latency_ms: now - credits.startedAt,
    first_token_ms: firstTokenMs,
    error_code: closing.errorCode,
  }
  if (session.leaseToken === null) {
    await bookUnstoredTurn(ctx, credits, usage, input.source)
    return tallyTurn(ended)
  }
  const answer = {
    ...ended,
    session_id: session.id,
    lease_token: session.leaseToken,
    id: messageId,
    role: 'assistant',
    content: closing.text,
    parts_json: null,
    calls_json: closing.calls,
    finish_reason: closing.finishReason,
    // An empty list means that the knowledge had no answer, which analytics counts.
    citations_json: citations.length === 0 && !unanswered ? null : JSON.stringify(citations),
    reasoning: turn.reasoning || null,
    correlation_id: input.correlationId,
    created_at: now,
  }
  const { isHolding } = credits
  const { pending, storing } = session
  if (storing !== undefined) await storing
  if (await turn.lease?.beginClosing()) await storeStreamed(ctx.db, answer, isHolding)
  else if (pending !== undefined && (await pending.end()))
    await storeWhole(ctx.db, pending, answer, isHolding)
  else await storeClosing(ctx.db, answer, isHolding)
  sessionReleases.emit(session.id)
  tallyTurn(ended)
}
