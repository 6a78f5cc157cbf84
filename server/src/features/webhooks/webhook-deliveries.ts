import { requireAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { camelKeys, type CamelKeys } from '#kernel/key-case.ts'
import { pageById, type IdWindow, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { queueDelivery } from './queue-delivery.ts'
import { findDelivery, findEndpoint, listDeliveryRows, type DeliveryRow } from './webhook-store.ts'

/** The delivery of one event to one endpoint. Times are epoch milliseconds. */
type WebhookDelivery = Omit<CamelKeys<DeliveryRow>, 'workspaceId' | 'agentId' | 'payload'>

export interface DeliverySearch extends PageRequest {
  readonly orderId?: string | undefined
}

/**
 * The delivery log of an agent, newest first.
 *
 * @throws Fault record_not_found
 */
export async function listWebhookDeliveries(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { orderId, ...page }: DeliverySearch,
): Promise<Page<WebhookDelivery>> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const filter = { workspaceId, agentId: agent.id, orderId }
  const read = (window: IdWindow) => listDeliveryRows(ctx.db.read, filter, window)
  return await pageById(page, read, deliveryFromRow)
}

/**
 * Sends the same event again, as a new delivery.
 *
 * @throws Fault record_not_found, also when the endpoint is gone
 */
export function redeliverWebhook(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  workspaceId: string,
  id: string,
): Promise<WebhookDelivery> {
  return ctx.db.write(async (tx) => {
    const row = await findDelivery(tx, workspaceId, id)
    const endpoint =
      row === undefined ? undefined : await findEndpoint(tx, workspaceId, row.endpoint_id)
    if (row === undefined || endpoint === undefined) throw new Fault(commonFaults.record_not_found)
    const { endpoint_id, order_id, workspace_id, agent_id, event_type, payload } = row
    const event = { endpoint_id, order_id, workspace_id, agent_id, event_type, payload }
    return deliveryFromRow(await queueDelivery(ctx, tx, event))
  })
}

function deliveryFromRow(row: DeliveryRow): WebhookDelivery {
  const { workspace_id: _workspace, agent_id: _agent, payload: _payload, ...shown } = row
  return camelKeys(shown)
}
