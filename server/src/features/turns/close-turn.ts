import { bookUnstoredTurn, chargeOf, type TurnCredits } from '#features/credits/index.ts'
import type { Context } from '#platform/context.ts'
import type { ModelUsage } from '#platform/models/model.ts'
import type { Citation } from './citations.ts'
import type { OpenSession } from './open-session.ts'
import { announceRelease } from './session-wake.ts'
import { storeClosing } from './turn-store.ts'

/** What was answered, whole or as far as it came. */
export interface Answered {
  readonly messageId: string
  readonly text: string
  readonly model: string
  readonly usage: ModelUsage
  readonly citations: readonly Citation[]
  /** True when knowledge was searched for it in vain. */
  readonly unanswered: boolean
  readonly latencyMs: number
  readonly firstTokenMs: number | null
  readonly finishReason: string | null
  /** Set when the answer is not whole. */
  readonly errorCode: string | null
  readonly correlationId: string | null
}

/**
 * Stores the answer, books its cost and frees the session, all in one write. With `store: false`
 * only the cost is booked.
 */
export async function closeTurn(
  ctx: Pick<Context, 'db' | 'clock'>,
  session: OpenSession,
  credits: TurnCredits,
  answered: Answered,
): Promise<void> {
  const { id: sessionId, leaseToken } = session
  if (leaseToken === null) return await bookUnstored(ctx, credits, answered)
  const { citations, unanswered } = answered
  const closing = {
    ...chargeOf(credits, credits.bookedFor(answered.usage)),
    session_id: sessionId,
    lease_token: leaseToken,
    id: answered.messageId,
    role: 'assistant',
    content: answered.text,
    parts_json: null,
    model: answered.model,
    prompt_tokens: answered.usage.promptTokens,
    completion_tokens: answered.usage.completionTokens,
    latency_ms: answered.latencyMs,
    first_token_ms: answered.firstTokenMs,
    finish_reason: answered.finishReason,
    error_code: answered.errorCode,
    // An empty list means that knowledge was searched in vain, which analytics count.
    citations_json: citations.length === 0 && !unanswered ? null : JSON.stringify(citations),
    correlation_id: answered.correlationId,
    created_at: ctx.clock.now(),
  }
  await storeClosing(ctx.db, closing, credits.isHolding)
  announceRelease(sessionId)
}

async function bookUnstored(
  ctx: Pick<Context, 'db' | 'clock'>,
  credits: TurnCredits,
  { model, usage }: Answered,
): Promise<void> {
  const { promptTokens, completionTokens } = usage
  if (promptTokens + completionTokens === 0) return await credits.release()
  await bookUnstoredTurn(ctx, credits, {
    model,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    costMicros: credits.bookedFor(usage),
  })
}
