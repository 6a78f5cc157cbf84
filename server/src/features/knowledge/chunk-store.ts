import type { Reader, Tx } from '#platform/db/database.ts'

/** The first chunks of a source, in the order of their ids. */
export async function listChunkIds(
  reader: Reader,
  sourceId: string,
  limit: number,
): Promise<number[]> {
  const rows = await reader
    .selectFrom('knowledge_chunks')
    .select('id')
    .where('source_id', '=', sourceId)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteChunksById(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('knowledge_chunks').where('id', 'in', ids).execute()
}
