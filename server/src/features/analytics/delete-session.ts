import type { Database } from '#platform/db/database.ts'
import { deleteListed } from './delete-counted.ts'
import { listOwnSession } from './deletable-store.ts'

/** Deletes one conversation of an agent, if it exists, and everything that belongs to it. */
export async function deleteSession(
  db: Database,
  place: { readonly workspaceId: string; readonly agentId: string },
  sessionId: string,
): Promise<void> {
  const list = (reader: Parameters<typeof listOwnSession>[0]) =>
    listOwnSession(reader, place, sessionId)
  await deleteListed(db, list, async () => undefined)
}
