import { deleteSessionCalls } from '#features/tool-calls/index.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { forgetHidden } from './deleted-session-store.ts'
import { deleteSessions, type DeletedRows } from './deletion-store.ts'
import { removeDocuments } from './indexed-document-store.ts'

/**
 * A step: deletes conversations and everything that belongs to them. Analytics must have counted
 * them before, and the caller must call `raiseGenerations` for the jobs that are reading them.
 */
export async function deleteConversations(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  sessionIds: readonly string[],
): Promise<DeletedRows> {
  const actionCalls = await deleteSessionCalls(tx, sessionIds)
  await removeDocuments(tx, engine, sessionIds)
  return { ...(await deleteSessions(tx, sessionIds)), actionCalls }
}

/** A step: the end of a conversation that was hidden and emptied. */
export async function endHidden(tx: Tx, db: Pick<Database, 'engine'>, id: string): Promise<void> {
  await deleteConversations(tx, db, [id])
  await forgetHidden(tx, id)
}
