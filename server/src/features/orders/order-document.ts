import { totalsDocument } from '#features/pricing/index.ts'
import type { Context } from '#platform/context.ts'
import type { Fulfillment, Order, OrderLine } from './order.ts'

/** An address of this service, as callers reach it. */
export function publicUrl({ config }: Pick<Context, 'config'>, path: string): string {
  return `${config.baseUrl}${path}`
}

/** An order as the protocol has it (2026-04-17, Order): in a session, for itself, and in events. */
export function orderDocument(ctx: Pick<Context, 'config'>, order: Order) {
  const { id, number, refunds, currency } = order
  return {
    type: 'order',
    id,
    checkout_session_id: order.sessionId,
    order_number: `#${number}`,
    permalink_url: publicUrl(ctx, `/acp/${order.agentId}/receipts/${order.receiptKey}`),
    status: order.status,
    ...estimatedDelivery(order),
    confirmation: { confirmation_number: `${number}`, confirmation_email_sent: false },
    ...(Object.keys(order.support).length === 0 ? {} : { support: order.support }),
    line_items: order.lines.map((line) => lineItem(line, order.status === 'canceled')),
    fulfillments: order.fulfillments.map(fulfillment),
    adjustments: refunds.map((refund) => ({
      id: refund.id,
      type: 'refund',
      occurred_at: iso(refund.at),
      status: refund.status,
      amount: refund.amountMinor,
      currency,
      ...(refund.reason === null ? {} : { reason: refund.reason }),
    })),
    totals: [...totalsDocument(order.totals), ...refundedTotal(order)],
  }
}

/** A canceled line is no longer part of the order; a line without delivery is fulfilled at once. */
function lineItem(line: OrderLine, isCanceled: boolean) {
  const { id, title, productId, description, imageUrl, quantity: ordered } = line
  const current = isCanceled ? 0 : ordered
  const fulfilled = line.delivery === null ? current : line.fulfilled
  return {
    id,
    title,
    product_id: productId,
    ...(description === '' ? {} : { description }),
    ...(imageUrl === null ? {} : { image_url: imageUrl }),
    quantity: { ordered, current, fulfilled },
    unit_price: line.unitAmount,
    subtotal: line.subtotal,
    status: statusOf(current, fulfilled),
  }
}

function statusOf(current: number, fulfilled: number): string {
  if (current === 0) return 'removed'
  if (fulfilled >= current) return 'fulfilled'
  return fulfilled > 0 ? 'partial' : 'processing'
}

function fulfillment(sent: Fulfillment) {
  const { id, type, lines, carrier, trackingNumber, trackingUrl, destination, description } = sent
  const status = type === 'shipping' ? 'shipped' : 'delivered'
  const access = {
    ...(sent.accessUrl === null ? {} : { access_url: sent.accessUrl }),
    ...(sent.licenseKey === null ? {} : { license_key: sent.licenseKey }),
  }
  return {
    id,
    type,
    status,
    line_items: lines,
    ...(carrier === null ? {} : { carrier }),
    ...(trackingNumber === null ? {} : { tracking_number: trackingNumber }),
    ...(trackingUrl === null ? {} : { tracking_url: trackingUrl }),
    ...(destination === null ? {} : { destination }),
    ...(Object.keys(access).length === 0 ? {} : { digital_delivery: access }),
    ...(description === null ? {} : { description }),
    events: [{ id: `${id}-1`, type: status, occurred_at: iso(sent.at) }],
  }
}

function estimatedDelivery({ deliveries }: Order) {
  const shipped = deliveries.find(({ type }) => type === 'shipping')
  const [earliest, latest] = [shipped?.earliest ?? null, shipped?.latest ?? null]
  if (earliest === null || latest === null) return {}
  return { estimated_delivery: { earliest: iso(earliest), latest: iso(latest) } }
}

/** Completed refunds; pending ones are among the adjustments. */
function refundedTotal({ refunds }: Order) {
  const completed = refunds.filter(({ status }) => status === 'completed')
  const amount = completed.reduce((total, { amountMinor }) => total + amountMinor, 0)
  if (amount === 0) return []
  return [{ type: 'amount_refunded', display_text: 'Refunded', amount }]
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
