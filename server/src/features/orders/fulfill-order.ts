import type { DeliveryType } from '#features/pricing/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { requireOrder, saveOrder } from './change-order.ts'
import { orderFaults as faults } from './order-faults.ts'
import { progressOf, type Fulfillment, type Order } from './order.ts'

export interface FulfillOrder {
  /** The items sent, by line; default: everything that is left. */
  readonly lines?: readonly { readonly id: string; readonly quantity: number }[] | undefined
  readonly carrier?: string | undefined
  readonly trackingNumber?: string | undefined
  readonly trackingUrl?: string | undefined
  readonly accessUrl?: string | undefined
  readonly licenseKey?: string | undefined
  readonly description?: string | undefined
}

/**
 * Records that items were sent or handed over, with one fulfillment for each delivery type.
 *
 * @throws Fault record_not_found, order_canceled, fulfillment_exceeds_order
 */
export function fulfillOrder(
  ctx: Pick<Context, 'db' | 'jobs' | 'config' | 'clock'>,
  workspaceId: string,
  id: string,
  input: FulfillOrder,
): Promise<Order> {
  return ctx.db.write(async (tx) => {
    const order = await requireOrder(tx, workspaceId, id)
    if (order.status === 'canceled') throw new Fault(faults.order_canceled)
    const now = ctx.clock.now()
    const sent = requireLeft(order, input.lines ?? leftOf(order))
    const fulfillments = [...order.fulfillments, ...fulfillmentsOf(order, sent, input, now)]
    const lines = order.lines.map((line) => ({
      ...line,
      fulfilled: line.fulfilled + (sent.get(line.id) ?? 0),
    }))
    const changed = { ...order, fulfillments, lines, updatedAt: now }
    return await saveOrder(ctx, tx, { ...changed, status: progressOf(changed) })
  })
}

function leftOf({ lines }: Order) {
  return lines
    .filter(({ delivery, fulfilled, quantity }) => delivery !== null && fulfilled < quantity)
    .map(({ id, fulfilled, quantity }) => ({ id, quantity: quantity - fulfilled }))
}

/** How many of each line are sent. Zero, or more than is left, is refused. */
function requireLeft(
  { lines }: Order,
  sent: readonly { readonly id: string; readonly quantity: number }[],
): ReadonlyMap<string, number> {
  const [first] = sent
  if (first === undefined) throw new Fault(faults.fulfillment_exceeds_order, { line: '*', left: 0 })
  const quantities = new Map<string, number>()
  for (const { id, quantity } of sent) quantities.set(id, quantity + (quantities.get(id) ?? 0))
  for (const [id, quantity] of quantities) {
    const line = lines.find((one) => one.id === id && one.delivery !== null)
    const left = line === undefined ? 0 : line.quantity - line.fulfilled
    if (quantity > left) throw new Fault(faults.fulfillment_exceeds_order, { line: id, left })
  }
  return quantities
}

function fulfillmentsOf(
  { lines, recipient }: Order,
  sent: ReadonlyMap<string, number>,
  input: FulfillOrder,
  now: number,
): Fulfillment[] {
  const types: readonly DeliveryType[] = ['shipping', 'pickup', 'digital']
  return types.flatMap((type) => {
    const ofType = lines.filter(({ id, delivery }) => delivery === type && sent.has(id))
    if (ofType.length === 0) return []
    const isShipped = type === 'shipping'
    return {
      id: newId(now),
      type,
      lines: ofType.map(({ id }) => ({ id, quantity: sent.get(id) ?? 0 })),
      carrier: isShipped ? (input.carrier ?? null) : null,
      trackingNumber: isShipped ? (input.trackingNumber ?? null) : null,
      trackingUrl: isShipped ? (input.trackingUrl ?? null) : null,
      destination: isShipped ? (recipient?.address ?? null) : null,
      accessUrl: type === 'digital' ? (input.accessUrl ?? null) : null,
      licenseKey: type === 'digital' ? (input.licenseKey ?? null) : null,
      description: input.description ?? null,
      at: now,
    }
  })
}
