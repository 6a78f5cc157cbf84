import { reserveStock } from '#features/catalog/index.ts'
import {
  findPayment,
  insertPayment,
  settleGraceMs,
  updatePayment,
  type PaymentRow,
  type SealedRequest,
} from '#features/payments/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { moved, type CheckoutSession } from './checkout-session.ts'
import { saveSession } from './get-session.ts'
import { settleChargeTicket, voidChargeTicket } from './job-tickets.ts'

export type Payment = Pick<SealedRequest, 'credential' | 'authentication'>

/**
 * A step: records the intent to charge. Takes the stock, and stores the pending payment with a job
 * that settles it if the provider never responds. The session must have been assessed in this unit.
 */
export async function beginCharge(
  ctx: Pick<Context, 'payments' | 'vault' | 'jobs' | 'config'>,
  tx: Tx,
  session: CheckoutSession,
  { credential, authentication }: Payment,
  now: number,
): Promise<PaymentRow> {
  await takeAssessedStock(tx, session)
  // The new attempt continues the earlier charge under an idempotency key of its own.
  const continued = (await voidWaiting(tx, session, now))?.provider_reference ?? null
  const sealed: SealedRequest = { credential, authentication, continues: continued }
  const payment: PaymentRow = {
    id: newId(now),
    kind: 'charge',
    workspace_id: session.workspaceId,
    agent_id: session.agentId,
    session_id: session.id,
    order_id: null,
    refund_of: null,
    provider: ctx.payments.provider,
    provider_reference: continued,
    status: 'pending',
    amount: session.quote.totals.total,
    currency: session.currency,
    request_sealed: ctx.vault.seal(JSON.stringify(sealed)),
    error_code: null,
    created_at: now,
    updated_at: now,
  }
  await insertPayment(tx, payment)
  const runAt = now + ctx.config.paymentTimeoutMs + settleGraceMs
  const when = { key: payment.id, runAt, workspaceId: session.workspaceId }
  await ctx.jobs.enqueue(tx, settleChargeTicket, { paymentId: payment.id }, when)
  const change = { status: 'complete_in_progress', paymentId: payment.id, updatedAt: now } as const
  await saveSession(tx, moved(session, 'begin_payment', change))
  return payment
}

/**
 * A step: takes the stock of a session that was assessed in this unit, so nothing can be missing.
 *
 * @throws Error when something is nevertheless
 */
export async function takeAssessedStock(
  tx: Tx,
  { agentId, quote }: CheckoutSession,
): Promise<void> {
  if (await reserveStock(tx, agentId, quote.lines)) return
  throw new Error('what was in stock is gone within one unit')
}

/**
 * A step: abandons the charge that waited for the buyer's authentication. A job cancels it at the
 * provider; if the buyer has paid in the meantime, it is refunded.
 */
export async function giveUpCharge(
  ctx: Pick<Context, 'jobs'>,
  tx: Tx,
  session: CheckoutSession,
  now: number,
): Promise<void> {
  const waiting = await voidWaiting(tx, session, now)
  if (waiting === null) return
  const { id: paymentId, workspace_id: workspaceId } = waiting
  await ctx.jobs.enqueue(tx, voidChargeTicket, { paymentId }, { key: paymentId, workspaceId })
}

/** @returns the charge that waited for authentication and is voided now; null if there was none */
async function voidWaiting(tx: Tx, { paymentId }: CheckoutSession, now: number) {
  const payment = paymentId === null ? undefined : await findPayment(tx, paymentId)
  if (payment?.status !== 'requires_action') return null
  await updatePayment(tx, payment.id, { status: 'voided', updated_at: now })
  return payment
}
