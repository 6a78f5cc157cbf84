import { findPayment, updatePayment } from '#features/payments/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { CheckoutSession } from './checkout-session.ts'
import { voidChargeTicket } from './job-tickets.ts'

/**
 * A step: abandons the charge that waited for the buyer's authentication. A job cancels it at the
 * provider; if the buyer has paid in the meantime, it is refunded.
 */
export async function giveUpCharge(
  ctx: Pick<Context, 'jobs'>,
  tx: Tx,
  { paymentId, workspaceId }: CheckoutSession,
  now: number,
): Promise<void> {
  if (paymentId === null) return
  const payment = await findPayment(tx, paymentId)
  if (payment?.status !== 'requires_action') return
  await updatePayment(tx, paymentId, { status: 'voided', updated_at: now })
  await ctx.jobs.enqueue(tx, voidChargeTicket, { paymentId }, { key: paymentId, workspaceId })
}
