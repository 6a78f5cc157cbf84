import type { Reader, Tx } from '#platform/db/database.ts'
import type { Place } from './response-store.ts'

export async function findMetadata(
  reader: Reader,
  sessionId: string,
): Promise<Readonly<Record<string, string>>> {
  const row = await reader
    .selectFrom('conversation_metadata')
    .select('metadata_json')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  // Only this feature writes it, from this type.
  return row === undefined ? {} : (JSON.parse(row.metadata_json) as Record<string, string>)
}

export async function hasMetadata(reader: Reader, sessionId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('conversation_metadata')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return row !== undefined
}

/** A step: stores the metadata of a session, which must exist in the same unit. */
export async function putMetadata(
  tx: Tx,
  { workspaceId, agentId }: Place,
  sessionId: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  const metadata_json = JSON.stringify(metadata)
  await tx
    .insertInto('conversation_metadata')
    .values({
      session_id: sessionId,
      workspace_id: workspaceId,
      agent_id: agentId,
      metadata_json,
    })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ metadata_json }))
    .execute()
}
