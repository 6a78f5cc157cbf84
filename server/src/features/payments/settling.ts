import { z } from 'zod'
import { minuteMs } from '#kernel/durations.ts'

/**
 * Charges and refunds in doubt are looked up until their outcome is known, at least once an hour.
 */
export const untilKnown = {
  maxAttempts: Number.POSITIVE_INFINITY,
  outlivesWorkspace: true,
  backoffMs: (attempt: number) => Math.min(minuteMs * 2 ** Math.min(attempt - 1, 6), 60 * minuteMs),
}

/** Added to the provider's timeout before a job settles a payment in doubt. */
export const settleGraceMs = 10_000

/**
 * The job's name and input. They are separate from the job, because the job calls steps that
 * enqueue it.
 */
export const settleRefundTicket = {
  kind: 'checkout.settle_refund',
  input: z.object({ refundId: z.string() }),
}
