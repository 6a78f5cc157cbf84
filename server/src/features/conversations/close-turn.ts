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
  readonly latencyMs: number
  readonly firstTokenMs: number | null
  readonly finishReason: string | null
  /** Set when the answer is not whole. */
  readonly errorCode: string | null
  readonly correlationId: string | null
}

/** Stores the answer and frees the session: one write. Does nothing for a turn that is not stored. */
export async function closeTurn(
  ctx: Pick<Context, 'db' | 'clock'>,
  session: OpenSession,
  answered: Answered,
): Promise<void> {
  const { id: sessionId, leaseToken } = session
  if (leaseToken === null) return
  const { citations } = answered
  await storeClosing(ctx.db, {
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
    citations_json: citations.length === 0 ? null : JSON.stringify(citations),
    correlation_id: answered.correlationId,
    created_at: ctx.clock.now(),
  })
  announceRelease(sessionId)
}
