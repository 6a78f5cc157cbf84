import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { RefundOutcome } from '#platform/payments/payments.ts'
import { settleGraceMs, settleRefundTicket } from './job-tickets.ts'
import { queueOrderEvent } from './order-events.ts'
import { orderFromRow, orderRow, type Order, type OrderRefund } from './order.ts'
import { findOrder, updateOrder } from './order-store.ts'
import { findPayment, insertPayment, updatePayment, type PaymentRow } from './payment-store.ts'
import { isAskable, isForgotten } from './sealed-request.ts'

type RefundContext = Pick<Context, 'payments' | 'jobs' | 'config' | 'clock' | 'vault'>

/** A step: the intent to give money back, with a job that settles it should nobody come back. */
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
  /** Whether the job asks the provider, or only sees to it when the caller did not come back. */
  readonly at: 'now' | 'if_left'
  readonly now: number
}

/** Asks the provider. Rejects when it does not answer: the job asks again under the same key. */
export async function askForRefund(
  ctx: Pick<Context, 'payments' | 'db' | 'clock'>,
  refund: PaymentRow,
): Promise<RefundOutcome> {
  if (!isAskable(ctx, refund)) return { status: 'succeeded', reference: `test_${refund.id}` }
  const charge = await findPayment(ctx.db.read, String(refund.refund_of))
  if (charge?.provider_reference === undefined || charge.provider_reference === null)
    throw new Error(`refund ${refund.id} has no charge to give back`)
  return await ctx.payments.refund({
    refundId: refund.id,
    chargeReference: charge.provider_reference,
    amountMinor: refund.amount,
    currency: refund.currency,
    isForgotten: isForgotten(ctx, refund),
  })
}

/** A step: commits what became of a refund. @returns the order that it is for, when there is one */
export async function settleRefund(
  ctx: RefundContext,
  tx: Tx,
  refundId: string,
  outcome: RefundOutcome,
): Promise<Order | null> {
  const now = ctx.clock.now()
  const refund = await findPayment(tx, refundId)
  if (refund === undefined) return null
  if (refund.status === 'pending') {
    await updatePayment(tx, refundId, {
      status: outcome.status,
      provider_reference: outcome.reference,
      error_code: outcome.status === 'declined' ? outcome.code : null,
      updated_at: now,
    })
    await ctx.jobs.withdraw(tx, settleRefundTicket, refundId)
  }
  if (refund.order_id === null) return null
  const row = await findOrder(tx, refund.workspace_id, refund.order_id)
  if (row === undefined) return null
  const order = orderFromRow(row)
  if (refund.status !== 'pending') return order
  const status = outcome.status === 'succeeded' ? 'completed' : 'failed'
  const refunds = order.refunds.map((entry): OrderRefund =>
    entry.id === refundId ? { ...entry, status } : entry,
  )
  return await saveOrder(ctx, tx, { ...order, refunds, updatedAt: now })
}

/** A step: stores a change of an order and tells those who asked to be told. */
export async function saveOrder(
  ctx: Pick<Context, 'jobs' | 'config' | 'clock' | 'vault'>,
  tx: Tx,
  order: Order,
): Promise<Order> {
  await updateOrder(tx, orderRow(order))
  await queueOrderEvent(ctx, tx, order, 'order_update')
  return order
}
