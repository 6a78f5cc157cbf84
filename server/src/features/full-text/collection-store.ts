import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { KnowledgeCollectionsTable } from '#platform/db/schema.ts'

export type CollectionRow = Selectable<KnowledgeCollectionsTable>

export function findCollection(
  reader: Reader,
  agentId: string,
): Promise<CollectionRow | undefined> {
  return reader
    .selectFrom('knowledge_collections')
    .selectAll()
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
}

/** The agent's collection, made when it has none. */
export async function takeCollection(tx: Tx, agentId: string): Promise<CollectionRow> {
  const found = await findCollection(tx, agentId)
  if (found !== undefined) return found
  return await tx
    .insertInto('knowledge_collections')
    .values({ agent_id: agentId, chunk_count: 0, term_count: 0 })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Adds to the counts of a collection; negative numbers when a source goes. */
export async function growCollection(
  tx: Tx,
  agentId: string,
  by: { readonly chunks: number; readonly terms: number },
): Promise<void> {
  await tx
    .updateTable('knowledge_collections')
    .set((e) => ({
      chunk_count: e('chunk_count', '+', by.chunks),
      term_count: e('term_count', '+', by.terms),
    }))
    .where('agent_id', '=', agentId)
    .execute()
}
