import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { deliverWebhookTicket } from './job-tickets.ts'
import { orderDocument } from './order-document.ts'
import type { Order } from './order.ts'
import { insertDelivery, listEndpointRows, type DeliveryRow } from './webhook-store.ts'

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

interface Event {
  readonly endpointId: string
  readonly orderId: string
  readonly workspaceId: string
  readonly agentId: string
  readonly type: DeliveryRow['event_type']
  readonly payload: string
}

/** A step: one delivery of an event to one endpoint. */
export async function queueDelivery(
  ctx: Pick<Context, 'jobs' | 'clock'>,
  tx: Tx,
  event: Event,
): Promise<DeliveryRow> {
  const now = ctx.clock.now()
  const row: DeliveryRow = {
    id: newId(now),
    workspace_id: event.workspaceId,
    agent_id: event.agentId,
    endpoint_id: event.endpointId,
    order_id: event.orderId,
    event_type: event.type,
    payload: event.payload,
    status: 'pending',
    attempts: 0,
    response_status: null,
    error: null,
    next_attempt_at: now,
    created_at: now,
    delivered_at: null,
  }
  await insertDelivery(tx, row)
  const { workspaceId } = event
  await ctx.jobs.enqueue(tx, deliverWebhookTicket, { deliveryId: row.id }, { workspaceId })
  return row
}
