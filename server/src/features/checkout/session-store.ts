import type { Seller } from '#features/orders/index.ts'
import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type SessionRow = Selectable<Schema['checkout_sessions']>

export function findSession(reader: Reader, { workspaceId, agentId }: Seller, id: string) {
  return reader
    .selectFrom('checkout_sessions')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** For ids from our own payments and jobs, never from a caller. */
export function sessionById(reader: Reader, id: string): Promise<SessionRow> {
  return reader
    .selectFrom('checkout_sessions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insertInto('checkout_sessions').values(row).execute()
}

export async function updateSession(tx: Tx, row: SessionRow): Promise<void> {
  const { id, ...change } = row
  await tx.updateTable('checkout_sessions').set(change).where('id', '=', id).execute()
}

/** Open sessions past their expiry, oldest first. */
export function listOverdue(reader: Reader, open: readonly string[], now: number, limit: number) {
  return reader
    .selectFrom('checkout_sessions')
    .selectAll()
    .where('status', 'in', open)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
}
