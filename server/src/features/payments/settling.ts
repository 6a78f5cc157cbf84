import { z } from 'zod'

const minute = 60_000

/** Charges and refunds in doubt are looked up until their outcome is known, an hour apart at most. */
export const untilKnown = {
  maxAttempts: Number.POSITIVE_INFINITY,
  outlivesWorkspace: true,
  backoffMs: (attempt: number) => Math.min(minute * 2 ** Math.min(attempt - 1, 6), 60 * minute),
}

/** Added to the provider's timeout before a job settles what is in doubt. */
export const settleGraceMs = 10_000

/** The job's name and input, apart from the job: it calls steps that enqueue it in turn. */
export const settleRefundTicket = {
  kind: 'checkout.settle_refund',
  input: z.object({ refundId: z.string() }),
}
