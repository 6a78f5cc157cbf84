import type { Context } from '#platform/context.ts'
import type { PaymentEvent } from '#platform/payments/payments.ts'
import { findChargeByReference, findPayment } from './payment-store.ts'
import { settle, type SettleContext } from './settle-charge.ts'

/**
 * The provider tells how a charge ended. Events come late, twice and out of order, and for payments
 * of others: what is settled stays, and what is not ours is passed over.
 */
export async function notePaymentEvent(
  ctx: SettleContext & Pick<Context, 'db'>,
  { paymentId, outcome }: PaymentEvent,
): Promise<void> {
  const { read } = ctx.db
  const byReference =
    outcome.reference === null ? undefined : await findChargeByReference(read, outcome.reference)
  const payment =
    byReference ?? (paymentId === null ? undefined : await findPayment(read, paymentId))
  if (payment?.kind !== 'charge') return
  await ctx.db.write((tx) => settle(ctx, tx, payment.id, outcome))
}
