import type { Context } from '#platform/context.ts'
import type { PaymentEvent } from '#platform/payments/payments.ts'
import { findByReference, findPayment } from './payment-store.ts'
import { settleRefund } from './refund.ts'
import { settle, type SettleContext } from './settle-charge.ts'

/**
 * The provider tells how a charge or a refund stands. Events come late, twice and out of order, and
 * for payments of others: what has reached its end stays, and what is not ours is passed over.
 */
export async function notePaymentEvent(
  ctx: SettleContext & Pick<Context, 'db'>,
  event: PaymentEvent,
): Promise<void> {
  const { read } = ctx.db
  const { reference } = event.outcome
  const byReference =
    reference === null ? undefined : await findByReference(read, event.kind, reference)
  const id = event.kind === 'charge' ? event.paymentId : event.refundId
  const payment = byReference ?? (id === null ? undefined : await findPayment(read, id))
  if (payment?.kind !== event.kind) return
  await ctx.db.write(async (tx) => {
    if (event.kind === 'charge') await settle(ctx, tx, payment.id, event.outcome)
    else await settleRefund(ctx, tx, payment.id, event.outcome)
  })
}
