import { findByReference, findPayment, isAskable, settleRefund } from '#features/payments/index.ts'
import type { Context } from '#platform/context.ts'
import type { PaymentEvent } from '#platform/payments/payments.ts'
import { settle, type SettleContext } from './settle-charge.ts'

/**
 * Applies a provider's event about a charge or a refund. Events arrive late, twice, out of order,
 * and for other people's payments: settled payments stay unchanged, and unknown ones are ignored.
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

/**
 * Looks up a charge that waits for the buyer, after a browser returned from the bank. Anyone can
 * open that page, so only the provider's answer counts.
 *
 * @throws Error when the provider does not answer: its event reports the outcome later
 */
export async function lookUpCharge(
  ctx: SettleContext & Pick<Context, 'db'>,
  reference: string,
): Promise<void> {
  const payment = await findByReference(ctx.db.read, 'charge', reference)
  if (payment?.status !== 'requires_action' || !isAskable(ctx, payment)) return
  const { id: paymentId, created_at: askedAt } = payment
  const outcome = await ctx.payments.recall({ paymentId, askedAt, reference })
  if (outcome.status === 'requires_action') return
  await ctx.db.write((tx) => settle(ctx, tx, paymentId, outcome))
}
