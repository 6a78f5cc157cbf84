import { listEndpointRows, queueDelivery, type DeliveryRow } from '#features/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { orderDocument } from './order-document.ts'
import type { Order } from './order.ts'

/**
 * A step: queues word of an order to every endpoint of its agent. The protocol sends the whole
 * order each time, so it is put down as it is now.
 */
export async function queueOrderEvent(
  ctx: Pick<Context, 'jobs' | 'config' | 'clock'>,
  tx: Tx,
  order: Order,
  type: DeliveryRow['event_type'],
): Promise<void> {
  const endpoints = await listEndpointRows(tx, order.workspaceId, order.agentId)
  if (endpoints.length === 0) return
  const payload = JSON.stringify({ type, data: orderDocument(ctx, order) })
  for (const endpoint of endpoints) {
    const { id: orderId, workspaceId, agentId } = order
    const event = { endpointId: endpoint.id, orderId, workspaceId, agentId, type, payload }
    await queueDelivery(ctx, tx, event)
  }
}
