import type { Selectable, Updateable } from 'kysely'
import type { Order } from '#features/orders/index.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type PaymentRow = Selectable<Schema['payments']>

export async function insertPayment(tx: Tx, row: PaymentRow): Promise<void> {
  await tx.insertInto('payments').values(row).execute()
}

/** Payment ids come from our own rows, jobs and the provider's events, never from a caller. */
export function findPayment(reader: Reader, id: string): Promise<PaymentRow | undefined> {
  return reader.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The latest charge or refund that the provider knows by this reference. */
export function findByReference(reader: Reader, kind: PaymentRow['kind'], reference: string) {
  return reader
    .selectFrom('payments')
    .selectAll()
    .where('provider_reference', '=', reference)
    .where('kind', '=', kind)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function updatePayment(tx: Tx, id: string, change: Updateable<Schema['payments']>) {
  await tx.updateTable('payments').set(change).where('id', '=', id).execute()
}

/**
 * The charge that paid an order; undefined for a free one. Charges are indexed by their session:
 * without it, the query would read all payments, and on PostgreSQL conflict with other units.
 */
export function findChargeOfOrder(
  reader: Reader,
  { workspaceId, sessionId, id: orderId }: Pick<Order, 'workspaceId' | 'sessionId' | 'id'>,
) {
  return reader
    .selectFrom('payments')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('session_id', '=', sessionId)
    .where('order_id', '=', orderId)
    .where('kind', '=', 'charge')
    .where('status', '=', 'succeeded')
    .executeTakeFirst()
}
