import type { Selectable, Updateable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type EndpointRow = Selectable<Schema['webhook_endpoints']>
export type DeliveryRow = Selectable<Schema['webhook_deliveries']>

export async function insertEndpoint(tx: Tx, row: EndpointRow): Promise<void> {
  await tx.insertInto('webhook_endpoints').values(row).execute()
}

/** Live endpoints of an agent, oldest first. */
export function listEndpointRows(reader: Reader, workspaceId: string, agentId: string) {
  return reader
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
}

export function findEndpoint(reader: Reader, workspaceId: string, id: string) {
  return reader
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Endpoints whose address is in clear text, in order, deleted ones too. */
export function listUnsealedAddresses(reader: Reader, after: string, limit: number) {
  return reader
    .selectFrom('webhook_endpoints')
    .select(['id', 'url'])
    .where('url_sealed', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function sealAddress(
  tx: Tx,
  { id, ...stored }: Pick<EndpointRow, 'id' | 'url' | 'url_sealed'>,
): Promise<void> {
  await tx.updateTable('webhook_endpoints').set(stored).where('id', '=', id).execute()
}

export async function markEndpointDeleted(tx: Tx, id: string, now: number): Promise<void> {
  const change = { deleted_at: now }
  await tx.updateTable('webhook_endpoints').set(change).where('id', '=', id).execute()
}

export async function insertDelivery(tx: Tx, row: DeliveryRow): Promise<void> {
  await tx.insertInto('webhook_deliveries').values(row).execute()
}

/** Ids come from jobs, never from a caller. */
export function findDeliveryJob(reader: Reader, id: string): Promise<DeliveryRow | undefined> {
  return reader.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findDelivery(reader: Reader, workspaceId: string, id: string) {
  return reader
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Newest first: ids are in order of time. */
export function listDeliveryRows(
  reader: Reader,
  filter: { workspaceId: string; agentId: string; orderId: string | undefined },
  page: { limit: number; before: string | undefined },
) {
  let query = reader
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('workspace_id', '=', filter.workspaceId)
    .where('agent_id', '=', filter.agentId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (filter.orderId !== undefined) query = query.where('order_id', '=', filter.orderId)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return query.execute()
}

export async function updateDelivery(
  tx: Tx,
  id: string,
  change: Updateable<Schema['webhook_deliveries']>,
): Promise<void> {
  await tx.updateTable('webhook_deliveries').set(change).where('id', '=', id).execute()
}
