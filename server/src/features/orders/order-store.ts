import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type OrderRow = Selectable<Schema['orders']>

/** The owner of an order. */
export interface Seller {
  readonly workspaceId: string
  readonly agentId: string
}

const firstNumber = 1001

/** Takes the agent's next order number; a failed unit returns it. */
export async function takeOrderNumber(tx: Tx, agentId: string): Promise<number> {
  const { next_value } = await tx
    .insertInto('order_numbers')
    .values({ agent_id: agentId, next_value: firstNumber + 1 })
    .onConflict((conflict) =>
      conflict
        .column('agent_id')
        .doUpdateSet((e) => ({ next_value: e('order_numbers.next_value', '+', 1) })),
    )
    .returning('next_value')
    .executeTakeFirstOrThrow()
  return next_value - 1
}

export async function insertOrder(tx: Tx, row: OrderRow): Promise<void> {
  await tx.insertInto('orders').values(row).execute()
}

export async function updateOrder(tx: Tx, row: OrderRow): Promise<void> {
  const { id, status, document_json, updated_at } = row
  await tx
    .updateTable('orders')
    .set({ status, document_json, updated_at })
    .where('id', '=', id)
    .execute()
}

export function findOrder(reader: Reader, workspaceId: string, id: string) {
  return reader
    .selectFrom('orders')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export function findOrderOfAgent(reader: Reader, { workspaceId, agentId }: Seller, id: string) {
  return reader
    .selectFrom('orders')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Finds an order by the secret key of the buyer's link, under the agent that sold it. Receipts of a
 * deleted agent stay available, those of a deleted workspace do not.
 */
export function findOrderByReceipt(reader: Reader, agentId: string, receiptKey: string) {
  return reader
    .selectFrom('orders')
    .innerJoin('workspaces', 'workspaces.id', 'orders.workspace_id')
    .selectAll('orders')
    .where('workspaces.deleted_at', 'is', null)
    .where('orders.agent_id', '=', agentId.toLowerCase())
    .where('orders.receipt_key', '=', receiptKey)
    .executeTakeFirst()
}

/** Newest first: ids are in order of time. */
export function listOrderRows(
  reader: Reader,
  filter: { workspaceId: string; agentId: string; status: string | undefined },
  page: { limit: number; before: string | undefined },
) {
  let query = reader
    .selectFrom('orders')
    .selectAll()
    .where('workspace_id', '=', filter.workspaceId)
    .where('agent_id', '=', filter.agentId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return query.execute()
}
