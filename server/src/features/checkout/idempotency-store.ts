import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/database.ts'

export type RecordRow = Selectable<Schema['idempotency_records']>
export type RecordId = Pick<RecordRow, 'identity' | 'path' | 'key'>

export function findRecord(tx: Tx, { identity, path, key }: RecordId) {
  return tx
    .selectFrom('idempotency_records')
    .selectAll()
    .where('identity', '=', identity)
    .where('path', '=', path)
    .where('key', '=', key)
    .executeTakeFirst()
}

export async function putRecord(tx: Tx, row: RecordRow): Promise<void> {
  await tx
    .insertInto('idempotency_records')
    .values(row)
    .onConflict((conflict) => conflict.columns(['identity', 'path', 'key']).doUpdateSet(row))
    .execute()
}

/** Answers the request that waits for this payment, if there is one. */
export async function answerRecords(tx: Tx, paymentId: string, outcomeJson: string): Promise<void> {
  await tx
    .updateTable('idempotency_records')
    .set({ outcome_json: outcomeJson })
    .where('payment_id', '=', paymentId)
    .where('outcome_json', 'is', null)
    .execute()
}

/**
 * Ends the lease of a request whose payment is in doubt, so that a retry can continue it at once.
 */
export async function releaseRecords(tx: Tx, paymentId: string, now: number): Promise<void> {
  await tx
    .updateTable('idempotency_records')
    .set({ lease_until: now })
    .where('payment_id', '=', paymentId)
    .where('outcome_json', 'is', null)
    .execute()
}

export async function deleteExpiredRecords(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('idempotency_records').where('expires_at', '<=', now).execute()
}
