import type { Selectable } from 'kysely'
import type { Database, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type MessageRow = Selectable<Schema['chat_messages']>
export type SessionRow = Selectable<Schema['chat_sessions']>

export interface LeaseClaim {
  readonly sessionId: string
  readonly leaseToken: string
  readonly leaseUntil: number
  readonly messageCount: number
  readonly now: number
}

/** @returns false when the lease is no longer ours */
export async function renewLease(
  tx: Tx,
  sessionId: string,
  leaseToken: string,
  until: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('chat_sessions')
    .set({ lease_until: until })
    .where('id', '=', sessionId)
    .where('lease_token', '=', leaseToken)
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** Live tickets of a session, oldest first. */
export async function liveTickets(
  db: Database['read'],
  sessionId: string,
  now: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('session_waiters')
    .select('ticket')
    .where('session_id', '=', sessionId)
    .where('expires_at', '>', now)
    .orderBy('ticket')
    .execute()
  return rows.map((row) => row.ticket)
}

export async function insertTicket(
  tx: Tx,
  sessionId: string,
  ticket: string,
  expiresAt: number,
): Promise<void> {
  await tx
    .insertInto('session_waiters')
    .values({ ticket, session_id: sessionId, expires_at: expiresAt })
    .execute()
}

export async function renewTicket(tx: Tx, ticket: string, expiresAt: number): Promise<void> {
  await tx
    .updateTable('session_waiters')
    .set({ expires_at: expiresAt })
    .where('ticket', '=', ticket)
    .execute()
}

/** Removes a ticket, and those of the same session whose holders died. */
export async function removeTicket(
  tx: Tx,
  sessionId: string,
  ticket: string,
  now: number,
): Promise<void> {
  await tx
    .deleteFrom('session_waiters')
    .where('session_id', '=', sessionId)
    .where((row) => row.or([row('ticket', '=', ticket), row('expires_at', '<=', now)]))
    .execute()
}

/** The current lease of a session, read without a claim. */
export async function readLease(db: Database['read'], sessionId: string) {
  return await db
    .selectFrom('chat_sessions')
    .select(['lease_token', 'lease_until'])
    .where('id', '=', sessionId)
    .executeTakeFirst()
}
