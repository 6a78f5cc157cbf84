import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import { clockToleranceMs } from '#kernel/lease.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

type ReservationRow = Selectable<Schema['credit_reservations']>

/** How long a reservation lasts without renewal, in milliseconds. */
export const reservationMs = 60_000
const farthestMs = reservationMs + clockToleranceMs

/** What live turns hold of each window, in micros. The caller has locked the windows. */
export async function heldOf(
  reader: Reader,
  windowIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('credit_reservations')
    .select(['window_id'])
    .select((e) => e.fn.sum<number>('amount_micros').as('held'))
    .where('window_id', 'in', windowIds)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', now + farthestMs)
    .groupBy('window_id')
    .execute()
  // PostgreSQL sums bigints to a numeric, which arrives as text.
  return new Map(rows.map(({ window_id, held }) => [window_id, Number(held)]))
}

/** Adds to what a turn holds of each window. */
export async function addReservations(tx: Tx, rows: readonly ReservationRow[]): Promise<void> {
  await tx
    .insertInto('credit_reservations')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['window_id', 'turn_id']).doUpdateSet((e) => ({
        amount_micros: e('credit_reservations.amount_micros', '+', e.ref('excluded.amount_micros')),
        expires_at: e.ref('excluded.expires_at'),
      })),
    )
    .execute()
}

export async function renewReservations(tx: Tx, turnId: string, expiresAt: number): Promise<void> {
  await tx
    .updateTable('credit_reservations')
    .set({ expires_at: expiresAt })
    .where('turn_id', '=', turnId)
    .execute()
}

/** Releases part of what a turn holds of each window. */
export async function reduceReservations(
  tx: Tx,
  turnId: string,
  amountMicros: number,
): Promise<void> {
  await tx
    .updateTable('credit_reservations')
    .set((e) => ({ amount_micros: e('amount_micros', '-', amountMicros) }))
    .where('turn_id', '=', turnId)
    .execute()
}

export async function deleteReservations(tx: Tx, turnId: string): Promise<void> {
  await tx.deleteFrom('credit_reservations').where('turn_id', '=', turnId).execute()
}

export async function deleteLapsedReservations(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom('credit_reservations')
    .where((row) =>
      row.or([row('expires_at', '<=', now), row('expires_at', '>', now + farthestMs)]),
    )
    .execute()
}
