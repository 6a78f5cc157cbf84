import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { findPayment } from './payment-store.ts'
import { askForRefund, settleRefund } from './refund.ts'
import { settleRefundTicket, untilKnown } from './settling.ts'

/** Settles a refund that is in doubt or that the provider still processes, which may take days. */
export const settleRefundInDoubt = defineJob({
  ...settleRefundTicket,
  ...untilKnown,
  async run(ctx: Context, { refundId }, { attempt }) {
    const refund = await findPayment(ctx.db.read, refundId)
    if (refund?.status !== 'pending') return
    const outcome = await askForRefund(ctx, refund, true)
    await ctx.db.write((tx) => settleRefund(ctx, tx, refundId, outcome))
    const settled = await findPayment(ctx.db.read, refundId)
    if (settled?.status !== 'pending') return
    return { runAgainAt: ctx.clock.now() + untilKnown.backoffMs(attempt) }
  },
})
