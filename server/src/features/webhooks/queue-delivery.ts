import { z } from 'zod'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertDelivery, type DeliveryRow } from './webhook-store.ts'

/** The job's name and input. They are separate from the job to avoid an import cycle. */
export const deliverWebhookTicket = {
  kind: 'checkout.deliver_webhook',
  input: z.object({ deliveryId: z.string() }),
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
