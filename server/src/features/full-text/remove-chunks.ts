import type { Database, Tx } from '#platform/db/database.ts'
import { deleteChunks, deleteChunksById, listChunkIds } from './chunk-store.ts'
import { searchIndexes } from './search-index.ts'

type Engine = Pick<Database, 'engine'>

/** A step: takes the chunks of a source, or of a document, out of the index and the database. */
export async function removeChunks(
  tx: Tx,
  { engine }: Engine,
  of: 'source_id' | 'document_id',
  id: string,
): Promise<void> {
  await searchIndexes[engine].remove(tx, of, id)
  await deleteChunks(tx, of, id)
}

/**
 * A step: takes out some of what a source says, of which no search finds anything any more.
 *
 * @returns how many chunks that were
 */
export async function removeSomeChunks(
  tx: Tx,
  { engine }: Engine,
  sourceId: string,
  limit: number,
): Promise<number> {
  const ids = await listChunkIds(tx, sourceId, limit)
  if (ids.length === 0) return 0
  await searchIndexes[engine].removeChunks(tx, ids)
  await deleteChunksById(tx, ids)
  return ids.length
}
