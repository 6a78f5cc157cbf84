import type { Database, Tx } from '#platform/db/database.ts'
import { deleteChunksById, listChunkIds } from './chunk-store.ts'
import { formerIndexes } from './former-indexes.ts'
import { dropFromSegments } from './segment-store.ts'

type Engine = Pick<Database, 'engine'>

/** A step: deletes the chunks of a source or a document from the index and the database. */
export async function removeChunks(
  tx: Tx,
  engine: Engine,
  of: 'source_id' | 'document_id',
  id: string,
): Promise<void> {
  const some = 500
  while ((await removeSomeChunks(tx, engine, of, id, some)) === some) continue
}

/**
 * A step: deletes some chunks of a source or a document that searches no longer find.
 *
 * @returns the number of deleted chunks
 */
export async function removeSomeChunks(
  tx: Tx,
  { engine }: Engine,
  of: 'source_id' | 'document_id',
  id: string,
  limit: number,
): Promise<number> {
  await dropFromSegments(tx, { of, id })
  const ids = await listChunkIds(tx, of, id, limit)
  if (ids.length === 0) return 0
  await formerIndexes[engine].removeChunks(tx, ids)
  await deleteChunksById(tx, ids)
  return ids.length
}
