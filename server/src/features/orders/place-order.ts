import { randomBytes } from 'node:crypto'
import type { Choices, Quote, QuoteLine } from '#features/pricing/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertOrder, takeOrderNumber } from './order-store.ts'
import { orderRow, progressOf, type Delivery, type Order, type OrderLine } from './order.ts'

/** The checkout session that was paid. */
interface PaidSession extends Pick<Order, 'id' | 'workspaceId' | 'agentId' | 'currency'> {
  readonly choices: Choices
  readonly quote: Quote
}

/** A step: creates the order of a session that has just been paid, as the buyer saw it. */
export async function placeOrder(
  tx: Tx,
  session: PaidSession,
  { support, isTest }: Pick<Order, 'support' | 'isTest'>,
  now: number,
): Promise<Order> {
  const { choices, quote } = session
  const order: Order = {
    id: newId(now),
    workspaceId: session.workspaceId,
    agentId: session.agentId,
    sessionId: session.id,
    number: await takeOrderNumber(tx, session.agentId),
    status: 'confirmed',
    isTest,
    currency: session.currency,
    receiptKey: randomBytes(24).toString('base64url'),
    buyer: choices.buyer,
    recipient: choices.fulfillmentDetails,
    lines: quote.lines.map(orderLine),
    totals: quote.totals,
    deliveries: deliveries(session),
    fulfillments: [],
    refunds: [],
    notes: choices.orderNotes,
    support,
    createdAt: now,
    updatedAt: now,
  }
  // An order without deliveries is complete at once.
  const placed = { ...order, status: progressOf(order) }
  await insertOrder(tx, orderRow(placed))
  return placed
}

function orderLine(line: QuoteLine): OrderLine {
  return {
    id: line.id,
    productId: line.productId,
    title: line.name,
    description: line.description,
    imageUrl: line.images[0] ?? null,
    unitAmount: line.unitAmount,
    quantity: line.quantity,
    subtotal: line.subtotal,
    delivery: line.fulfillmentType === 'none' ? null : line.fulfillmentType,
    fulfilled: 0,
  }
}

function deliveries({ quote }: PaidSession): Delivery[] {
  return quote.selections.flatMap(({ type, optionId }) => {
    const option = quote.options.find((one) => one.type === type && one.id === optionId)
    if (option === undefined) return []
    const { title, carrier, earliest, latest } = option
    return [{ type, title, carrier, earliest, latest }]
  })
}
