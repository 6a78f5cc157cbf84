import { z } from 'zod'

/** What a job is enqueued by, apart from what it does: steps enqueue what in turn calls steps. */

export const settleChargeTicket = {
  kind: 'checkout.settle_charge',
  input: z.object({ paymentId: z.string() }),
}

export const voidChargeTicket = {
  kind: 'checkout.void_charge',
  input: z.object({ paymentId: z.string() }),
}

export const settleRefundTicket = {
  kind: 'checkout.settle_refund',
  input: z.object({ refundId: z.string() }),
}

export const deliverWebhookTicket = {
  kind: 'checkout.deliver_webhook',
  input: z.object({ deliveryId: z.string() }),
}

/** How long after the time a provider has to answer somebody else settles what is in doubt. */
export const settleGraceMs = 10_000
