import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type SubscriptionRow = Selectable<Schema['subscriptions']>
export type CheckoutRow = Selectable<Schema['billing_checkouts']>

export function findSubscriptionRow(reader: Reader, workspaceId: string) {
  return reader
    .selectFrom('subscriptions')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
}

export function findByCustomer(reader: Reader, customerId: string) {
  return reader
    .selectFrom('subscriptions')
    .selectAll()
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
}

/**
 * Subscriptions of live workspaces that are due for a check, least recently checked first. Those of a
 * deleted workspace are checked once it is restored.
 */
export async function listLiveSubscriptions(reader: Reader, lookedAtBefore: number, limit: number) {
  const rows = await reader
    .selectFrom('subscriptions')
    .innerJoin('workspaces', 'workspaces.id', 'subscriptions.workspace_id')
    .select('subscriptions.subscription_id')
    .where('workspaces.deleted_at', 'is', null)
    .where('subscriptions.subscription_id', 'is not', null)
    .where('subscriptions.plan', 'is not', null)
    .where('subscriptions.updated_at', '<', lookedAtBefore)
    .orderBy('subscriptions.updated_at')
    .limit(limit)
    .execute()
  return rows.flatMap(({ subscription_id }) => subscription_id ?? [])
}

/** Notes that the provider was asked and does not have the subscription. */
export async function noteLookedAt(tx: Tx, subscriptionId: string, askedAt: number): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ updated_at: askedAt })
    .where('subscription_id', '=', subscriptionId)
    .where('updated_at', '<', askedAt)
    .execute()
}

export async function saveSubscription(tx: Tx, row: SubscriptionRow): Promise<void> {
  const { workspace_id: _, created_at: __, ...change } = row
  await tx
    .insertInto('subscriptions')
    .values(row)
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(change))
    .execute()
}

/** @returns false when the event was already stored */
export async function insertBillingEvent(tx: Tx, row: Schema['billing_events']) {
  const inserted = await tx
    .insertInto('billing_events')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function wasBillingEventSeen(reader: Reader, eventId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('billing_events')
    .select('id')
    .where('id', '=', eventId)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteEventsBefore(tx: Tx, receivedBefore: number): Promise<void> {
  await tx.deleteFrom('billing_events').where('received_at', '<', receivedBefore).execute()
}

export async function insertCheckout(tx: Tx, row: CheckoutRow): Promise<void> {
  await tx.insertInto('billing_checkouts').values(row).execute()
}

export function findCheckout(reader: Reader, id: string): Promise<CheckoutRow | undefined> {
  return reader.selectFrom('billing_checkouts').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function updateCheckout(
  tx: Tx,
  id: string,
  change: Partial<Pick<CheckoutRow, 'provider_id' | 'completed_at' | 'closed_at'>>,
): Promise<void> {
  await tx.updateTable('billing_checkouts').set(change).where('id', '=', id).execute()
}

export type OpenPlanCheckout = Pick<CheckoutRow, 'id' | 'provider_id' | 'plan'>

/** A workspace's other checkout pages where a plan may still be bought. */
export function listOpenPlanCheckouts(
  reader: Reader,
  { workspace_id, id }: Pick<CheckoutRow, 'workspace_id' | 'id'>,
  openedAfter: number,
) {
  return reader
    .selectFrom('billing_checkouts')
    .select(['id', 'provider_id', 'plan'])
    .where('workspace_id', '=', workspace_id)
    .where('id', '!=', id)
    .where('plan', 'is not', null)
    .where('provider_id', 'is not', null)
    .where('completed_at', 'is', null)
    .where('closed_at', 'is', null)
    .where('created_at', '>', openedAfter)
    .orderBy('id')
    .execute()
}
