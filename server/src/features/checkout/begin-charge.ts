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
import type { Authentication, Credential } from '#platform/payments/payments.ts'
import { moved, type CheckoutSession } from './checkout-session.ts'
import { saveSession } from './get-session.ts'
import { settleChargeTicket } from './job-tickets.ts'
import { takeAssessedStock } from './session-stock.ts'

export interface Payment {
  readonly credential: Credential | null
  readonly authentication: Authentication | null
}

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
  const continued = await supersede(tx, session, now)
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
  await ctx.jobs.enqueue(
    tx,
    settleChargeTicket,
    { paymentId: payment.id },
    {
      key: payment.id,
      runAt: now + ctx.config.paymentTimeoutMs + settleGraceMs,
      workspaceId: session.workspaceId,
    },
  )
  const change = { status: 'complete_in_progress', paymentId: payment.id, updatedAt: now } as const
  await saveSession(tx, moved(session, 'begin_payment', change))
  return payment
}

/**
 * Replaces a charge that waited for authentication.
 *
 * @returns its provider reference: the new
 * attempt continues it under an idempotency key of its own
 */
async function supersede(tx: Tx, session: CheckoutSession, now: number): Promise<string | null> {
  if (session.status !== 'authentication_required' || session.paymentId === null) return null
  const before = await findPayment(tx, session.paymentId)
  if (before?.status !== 'requires_action') return null
  await updatePayment(tx, before.id, { status: 'voided', updated_at: now })
  return before.provider_reference
}
