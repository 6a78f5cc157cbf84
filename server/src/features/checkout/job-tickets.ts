import { z } from 'zod'

/**
 * Names and keys that jobs are enqueued by, apart from the jobs themselves: these call steps that
 * enqueue in turn, which would be an import cycle.
 */

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

/** Added to the provider's timeout before a job settles what is in doubt. */
export const settleGraceMs = 10_000
