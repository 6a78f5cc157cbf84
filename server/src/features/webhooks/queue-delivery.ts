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

type Event = Pick<
  DeliveryRow,
  'endpoint_id' | 'order_id' | 'workspace_id' | 'agent_id' | 'event_type' | 'payload'
>

/** A step: one delivery of an event to one endpoint. */
export async function queueDelivery(
  ctx: Pick<Context, 'jobs' | 'clock'>,
  tx: Tx,
  event: Event,
): Promise<DeliveryRow> {
  const now = ctx.clock.now()
  const row: DeliveryRow = {
    ...event,
    id: newId(now),
    status: 'pending',
    attempts: 0,
    response_status: null,
    error: null,
    next_attempt_at: now,
    created_at: now,
    delivered_at: null,
  }
  await insertDelivery(tx, row)
  const { workspace_id: workspaceId } = event
  await ctx.jobs.enqueue(tx, deliverWebhookTicket, { deliveryId: row.id }, { workspaceId })
  return row
}
