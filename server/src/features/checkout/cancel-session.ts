import type { Context } from '#platform/context.ts'
import { giveUpCharge } from './begin-charge.ts'
import { moved, type ShopCaller } from './checkout-session.ts'
import { requireMove } from './checkout-status.ts'
import { requireSession, saveSession } from './get-session.ts'
import { carryOutOnce, type Answer, type RepeatableRequest } from './idempotency.ts'

/** Why the buyer left, as the agent reports it (the protocol's intent trace). */
export interface IntentTrace {
  readonly reason_code: string
  readonly trace_summary?: string | undefined
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined
}

/**
 * Cancels an unpaid checkout. Its prices do not change.
 *
 * @throws Fault session_not_found, session_completed, session_canceled, session_expired,
 *   payment_in_progress, idempotency_conflict, idempotency_in_flight
 */
export function cancelCheckout(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  caller: ShopCaller,
  id: string,
  trace: IntentTrace | null,
  request: RepeatableRequest | null,
): Promise<Answer> {
  return carryOutOnce(ctx, caller.keyId, request, async (tx, now) => {
    const session = await requireSession(tx, caller, id, now)
    requireMove(session.status, 'cancel')
    if (session.status === 'authentication_required') await giveUpCharge(ctx, tx, session, now)
    const { choices } = session
    const metadata =
      trace === null ? choices.metadata : { ...choices.metadata, intent_trace: trace }
    return await saveSession(
      tx,
      moved(session, 'cancel', {
        status: 'canceled',
        choices: {
          ...choices,
          metadata,
          notices: [{ type: 'info', code: 'canceled' }],
          authentication: null,
        },
        updatedAt: now,
      }),
    )
  })
}
