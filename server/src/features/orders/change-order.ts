import { listEndpointRows, queueDelivery, type DeliveryRow } from '#features/webhooks/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { orderDocument } from './order-document.ts'
import { findOrder, updateOrder } from './order-store.ts'
import { orderFromRow, orderRow, type Order } from './order.ts'

type EventContext = Pick<Context, 'jobs' | 'config' | 'clock'>

/** A step. @throws Fault record_not_found */
export async function requireOrder(
  reader: Reader,
  workspaceId: string,
  id: string,
): Promise<Order> {
  const row = await findOrder(reader, workspaceId, id)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return orderFromRow(row)
}

/** A step: stores a change of an order and queues its webhooks. */
export async function saveOrder(ctx: EventContext, tx: Tx, order: Order): Promise<Order> {
  await updateOrder(tx, orderRow(order))
  await queueOrderEvent(ctx, tx, order, 'order_update')
  return order
}

/**
 * A step: queues an event of an order for every endpoint of its agent. The protocol sends the whole
 * order each time, so the event contains the order as it is now.
 */
export async function queueOrderEvent(
  ctx: EventContext,
  tx: Tx,
  order: Order,
  type: DeliveryRow['event_type'],
): Promise<void> {
  const endpoints = await listEndpointRows(tx, order.workspaceId, order.agentId)
  if (endpoints.length === 0) return
  const payload = JSON.stringify({ type, data: orderDocument(ctx, order) })
  const { id: order_id, workspaceId: workspace_id, agentId: agent_id } = order
  const event = { order_id, workspace_id, agent_id, event_type: type, payload }
  for (const endpoint of endpoints)
    await queueDelivery(ctx, tx, { ...event, endpoint_id: endpoint.id })
}
