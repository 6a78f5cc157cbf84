import { reserveStock, returnStock } from '#features/catalog/index.ts'
import {
  findOrder,
  orderFromRow,
  progressOf,
  saveOrder,
  type Order,
  type OrderRefund,
} from '#features/orders/index.ts'
import { newId } from '#kernel/ids.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { RefundOutcome } from '#platform/payments/payments.ts'
import { findPayment, insertPayment, updatePayment, type PaymentRow } from './payment-store.ts'
import { isAskable, isForgotten } from './sealed-request.ts'
import { settleGraceMs, settleRefundTicket, untilKnown } from './settling.ts'

type SettleContext = Pick<Context, 'jobs' | 'config' | 'clock' | 'log'>

/** A step: stores a pending refund, with a job that settles it if the request never finishes. */
export async function beginRefund(
  ctx: Pick<Context, 'jobs' | 'config'>,
  tx: Tx,
  charge: PaymentRow,
  { amountMinor, orderId, at, now }: RefundIntent,
): Promise<PaymentRow> {
  const refund: PaymentRow = {
    ...charge,
    id: newId(now),
    kind: 'refund',
    order_id: orderId,
    refund_of: charge.id,
    provider_reference: null,
    status: 'pending',
    amount: amountMinor,
    request_sealed: null,
    error_code: null,
    created_at: now,
    updated_at: now,
  }
  await insertPayment(tx, refund)
  const runAt = at === 'now' ? now : now + ctx.config.paymentTimeoutMs + settleGraceMs
  const input = { refundId: refund.id }
  const { workspace_id: workspaceId } = charge
  await ctx.jobs.enqueue(tx, settleRefundTicket, input, { key: refund.id, runAt, workspaceId })
  return refund
}

interface RefundIntent {
  readonly amountMinor: number
  readonly orderId: string | null
  /**
   * `now`: the job asks the provider; `if_left`: it steps in only when the request did not finish.
   */
  readonly at: 'now' | 'if_left'
  readonly now: number
}

/**
 * Requests the refund from the provider. Rejects if the provider does not respond: the job then
 * repeats the request for the same refund.
 *
 * @param isAgain whether it may have been asked for before
 */
export async function askForRefund(
  ctx: Pick<Context, 'payments' | 'db' | 'clock'>,
  refund: PaymentRow,
  isAgain: boolean,
): Promise<RefundOutcome> {
  if (!isAskable(ctx, refund)) return { status: 'succeeded', reference: `test_${refund.id}` }
  const charge = await findPayment(ctx.db.read, String(refund.refund_of))
  if (charge?.provider_reference === undefined || charge.provider_reference === null)
    throw new Error(`refund ${refund.id} has no charge`)
  return await ctx.payments.refund({
    refundId: refund.id,
    chargeReference: charge.provider_reference,
    amountMinor: refund.amount,
    currency: refund.currency,
    isAgain,
    isForgotten: isForgotten(ctx, refund),
    reference: refund.provider_reference,
  })
}

/**
 * A step: commits the status of a refund, learned by the request itself, the job that looks it up,
 * or the provider's event.
 *
 * @returns the order that it is for, when there is one
 */
export async function settleRefund(
  ctx: SettleContext,
  tx: Tx,
  refundId: string,
  outcome: RefundOutcome,
): Promise<Order | null> {
  const refund = await findPayment(tx, refundId)
  if (refund === undefined) return null
  const order = await orderOfRefund(tx, refund)
  if (isOlder(refund, outcome)) return order
  const now = ctx.clock.now()
  await updatePayment(tx, refundId, {
    status: outcome.status,
    provider_reference: outcome.reference ?? refund.provider_reference,
    error_code: outcome.status === 'declined' ? outcome.code : null,
    updated_at: now,
  })
  if (outcome.status === refund.status) return order
  const about = { refundId, orderId: refund.order_id }
  if (refund.status === 'declined')
    ctx.log.warn(about, 'a refund that was refused is made after all')
  if (outcome.status === 'declined')
    ctx.log.error({ ...about, code: outcome.code }, 'a refund failed')
  // A refusal had ended the settling job, so it is enqueued again.
  const when = { key: refundId, runAt: now + settleGraceMs, workspaceId: refund.workspace_id }
  if (outcome.status === 'pending')
    await ctx.jobs.enqueue(tx, settleRefundTicket, { refundId }, when)
  else await ctx.jobs.withdraw(tx, settleRefundTicket, refundId)
  if (order === null) return null
  return await saveOrder(ctx, tx, {
    ...(await withRefund(tx, order, refundId, outcome)),
    updatedAt: now,
  })
}

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

/**
 * Whether an outcome is older than the known status. A refund that succeeded may still fail. A
 * failed refund with a provider reference stays failed. If the provider first refused a refund but
 * has it after all, because an earlier answer was lost, the refund counts as made. A refusal says
 * nothing about a refund that the provider has.
 */
function isOlder({ status, provider_reference: known }: PaymentRow, outcome: RefundOutcome) {
  if (outcome.reference === null) return known !== null || status !== 'pending'
  if (status === 'succeeded') return outcome.status !== 'declined'
  return status === 'declined' && known !== null
}

async function orderOfRefund(tx: Tx, refund: PaymentRow): Promise<Order | null> {
  if (refund.order_id === null) return null
  const row = await findOrder(tx, refund.workspace_id, refund.order_id)
  return row === undefined ? null : orderFromRow(row)
}

async function withRefund(
  tx: Tx,
  order: Order,
  refundId: string,
  outcome: RefundOutcome,
): Promise<Order> {
  const status = entryStatuses[outcome.status]
  const refunds = order.refunds.map((entry): OrderRefund =>
    entry.id === refundId ? { ...entry, status } : entry,
  )
  const changed = { ...order, refunds }
  const before = order.refunds.find(({ id }) => id === refundId)
  if (before?.ofCancellation !== true) return changed
  if (status === 'failed') return await reopened(tx, changed)
  return before.status === 'failed' ? await canceledAgain(tx, changed) : changed
}

const entryStatuses = {
  succeeded: 'completed',
  pending: 'pending',
  declined: 'failed',
} as const satisfies Record<RefundOutcome['status'], OrderRefund['status']>

/**
 * A cancellation needs its refund: if the refund fails, the order becomes active again and takes
 * its stock back. If the stock has been sold in the meantime, the order stays canceled and still
 * needs a refund.
 */
async function reopened(tx: Tx, order: Order): Promise<Order> {
  if (order.status !== 'canceled') return order
  if (!(await reserveStock(tx, order.agentId, order.lines))) return order
  return { ...order, status: progressOf({ status: 'confirmed', lines: order.lines }) }
}

/** Cancels the order again, because it was refunded after all, unless part of it has been sent. */
async function canceledAgain(tx: Tx, order: Order): Promise<Order> {
  if (order.status === 'canceled' || order.fulfillments.length > 0) return order
  await returnStock(tx, order.agentId, order.lines)
  return { ...order, status: 'canceled' }
}
