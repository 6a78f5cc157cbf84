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
