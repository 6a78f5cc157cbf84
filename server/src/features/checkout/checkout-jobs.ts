import { z } from 'zod'
import { askForCharge, findPayment, isAskable, untilKnown } from '#features/payments/index.ts'
import { minuteMs } from '#kernel/durations.ts'
import { defineJob, type Job } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { giveUpCharge } from './begin-charge.ts'
import { moved, sessionFromRow } from './checkout-session.ts'
import { checkoutMoves, isOpen, readStatus } from './checkout-status.ts'
import { saveSession } from './get-session.ts'
import { deleteExpiredRecords } from './idempotency-store.ts'
import { settleChargeTicket, voidChargeTicket } from './job-tickets.ts'
import { listOverdue, sessionById } from './session-store.ts'
import { settle } from './settle-charge.ts'

/**
 * Settles a charge whose request never finished, because its process died or the provider did not
 * respond.
 */
const settleChargeInDoubt = defineJob({
  ...settleChargeTicket,
  ...untilKnown,
  async run(ctx: Context, { paymentId }) {
    const payment = await findPayment(ctx.db.read, paymentId)
    if (payment?.status !== 'pending') return
    const outcome = await askForCharge(ctx, payment, true)
    await ctx.db.write((tx) => settle(ctx, tx, paymentId, outcome))
  },
})

/** Voids a charge that is no longer wanted; if the money has moved, it is refunded. */
const voidCharge = defineJob({
  ...voidChargeTicket,
  ...untilKnown,
  async run(ctx: Context, { paymentId }) {
    const payment = await findPayment(ctx.db.read, paymentId)
    const reference = payment?.provider_reference ?? null
    if (payment?.status !== 'voided' || reference === null || !isAskable(ctx, payment)) return
    if ((await ctx.payments.void(reference)) === 'voided') return
    await ctx.db.write((tx) => settle(ctx, tx, paymentId, { status: 'succeeded', reference }))
  },
})

const expiredAtOnce = 200

/**
 * Reads treat a session as expired by its time alone; this job stores it, and voids its charges.
 */
const expireSessions = defineJob({
  kind: 'checkout.expire_sessions',
  input: z.object({}),
  everyMs: minuteMs,
  async run(ctx: Context) {
    const open = checkoutMoves.expire.from
    const overdue = await listOverdue(ctx.db.read, open, ctx.clock.now(), expiredAtOnce)
    for (const { id } of overdue)
      await ctx.db.write(async (tx) => {
        const now = ctx.clock.now()
        const row = await sessionById(tx, id)
        const status = readStatus(row.status)
        if (!isOpen(status) || row.expires_at > now) return
        const session = { ...sessionFromRow(row, now), status }
        if (status === 'authentication_required') await giveUpCharge(ctx, tx, session, now)
        await saveSession(tx, moved(session, 'expire', { status: 'expired', updatedAt: now }))
      })
  },
})

const forgetRequests = defineJob({
  kind: 'checkout.forget_requests',
  input: z.object({}),
  everyMs: 60 * minuteMs,
  async run(ctx: Context) {
    await ctx.db.write((tx) => deleteExpiredRecords(tx, ctx.clock.now()))
  },
})

export const checkoutJobs: readonly Job<unknown, Context>[] = [
  settleChargeInDoubt,
  voidCharge,
  expireSessions,
  forgetRequests,
]
