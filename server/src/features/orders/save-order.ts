import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { queueOrderEvent } from './order-events.ts'
import { updateOrder } from './order-store.ts'
import { orderRow, type Order } from './order.ts'

/** A step: stores a change of an order and tells those who asked to be told. */
export async function saveOrder(
  ctx: Pick<Context, 'jobs' | 'config' | 'clock'>,
  tx: Tx,
  order: Order,
): Promise<Order> {
  await updateOrder(tx, orderRow(order))
  await queueOrderEvent(ctx, tx, order, 'order_update')
  return order
}
