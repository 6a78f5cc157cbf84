import { returnStock } from '#features/catalog/index.ts'
import {
  orderFaults,
  refundedMinor,
  requireOrder,
  saveOrder,
  type Order,
  type OrderRefund,
} from '#features/orders/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { paymentFaults as faults } from './payment-faults.ts'
import { findChargeOfOrder, findPayment, type PaymentRow } from './payment-store.ts'
import { askForRefund, beginRefund, settleRefund } from './refund.ts'

type RefundContext = Pick<Context, 'db' | 'payments' | 'jobs' | 'config' | 'clock' | 'log'>

/**
 * Refunds an order: the given amount, or everything that is left. If the provider does not respond
 * or does not know the outcome yet, the refund stays pending, and its event or a job settles it.
 *
 * @throws Fault record_not_found, refund_exceeds_payment, refund_declined
 */
export async function refundOrder(
  ctx: RefundContext,
  workspaceId: string,
  id: string,
  input: { readonly amountMinor?: number | undefined; readonly reason?: string | undefined },
): Promise<Order> {
  const begun = await ctx.db.write(async (tx) => {
    const order = await requireOrder(tx, workspaceId, id)
    // Refunds that the provider reported late can exceed the remaining amount.
    const left = Math.max(0, order.totals.total - refundedMinor(order))
    const amountMinor = input.amountMinor ?? left
    if (amountMinor === 0 || amountMinor > left)
      throw new Fault(faults.refund_exceeds_payment, { refundable: left, currency: order.currency })
    return await intendRefund(ctx, tx, order, {
      amountMinor,
      reason: input.reason ?? null,
      ofCancellation: false,
    })
  })
  return await carryOutRefund(ctx, begun)
}

/**
 * Cancels an order that has not been sent: returns its stock and refunds it. If the refund fails,
 * now or days later, the order becomes active again if its stock is still available.
 *
 * @throws Fault record_not_found, order_canceled, order_already_fulfilled, refund_declined
 */
export async function cancelOrder(
  ctx: RefundContext,
  workspaceId: string,
  id: string,
  input: { readonly reason?: string | undefined },
): Promise<Order> {
  const begun = await ctx.db.write(async (tx) => {
    const order = await requireOrder(tx, workspaceId, id)
    if (order.status === 'canceled') throw new Fault(orderFaults.order_canceled)
    if (order.fulfillments.length > 0) throw new Fault(faults.order_already_fulfilled)
    await returnStock(tx, order.agentId, order.lines)
    const canceled: Order = { ...order, status: 'canceled' }
    const amountMinor = order.totals.total - refundedMinor(order)
    const reason = input.reason ?? null
    if (amountMinor > 0)
      return await intendRefund(ctx, tx, canceled, { amountMinor, reason, ofCancellation: true })
    const saved = await saveOrder(ctx, tx, { ...canceled, updatedAt: ctx.clock.now() })
    return { order: saved, refund: null }
  })
  return await carryOutRefund(ctx, begun)
}

interface BegunRefund {
  readonly order: Order
  readonly refund: PaymentRow | null
}

async function intendRefund(
  ctx: RefundContext,
  tx: Tx,
  order: Order,
  terms: Pick<OrderRefund, 'amountMinor' | 'reason' | 'ofCancellation'>,
): Promise<BegunRefund> {
  const now = ctx.clock.now()
  const charge = await findChargeOfOrder(tx, order)
  if (charge === undefined) throw new Error(`order ${order.id} was paid by no charge`)
  const { amountMinor } = terms
  const intent = { amountMinor, orderId: order.id, at: 'if_left', now } as const
  const refund = await beginRefund(ctx, tx, charge, intent)
  const entry = { ...terms, id: refund.id, status: 'pending', at: now } as const
  const refunds = [...order.refunds, entry]
  const saved = await saveOrder(ctx, tx, { ...order, refunds, updatedAt: now })
  return { order: saved, refund }
}

async function carryOutRefund(ctx: RefundContext, { order, refund }: BegunRefund): Promise<Order> {
  if (refund === null) return order
  const outcome = await askForRefund(ctx, refund, false).catch((error: unknown) => {
    ctx.log.warn({ err: error, refundId: refund.id }, 'the outcome of a refund is unknown')
    return null
  })
  if (outcome === null) return order
  const settled = await ctx.db.write((tx) => settleRefund(ctx, tx, refund.id, outcome))
  const after = await findPayment(ctx.db.read, refund.id)
  if (after?.status === 'declined')
    throw new Fault(faults.refund_declined, { reason: after.error_code ?? 'declined' })
  return settled ?? order
}
