import type { Database, Tx } from '#platform/db/database.ts'
import { deleteDocument, deleteDocuments, sumDocuments } from './document-store.ts'
import { searchIndex } from './indexes/search-index.ts'
import { deleteChunksById, listChunkIds } from './chunk-store.ts'
import { deleteChunks, growCollection, type SourceRow } from './store.ts'

type Engine = Pick<Database, 'engine'>

/** A step: takes everything that a source says out of the index and the database. */
export async function clearSource(
  tx: Tx,
  { engine }: Engine,
  source: Pick<SourceRow, 'id' | 'agent_id'>,
): Promise<void> {
  const { chunks, terms } = await sumDocuments(tx, source.id)
  await growCollection(tx, source.agent_id, { chunks: -chunks, terms: -terms })
  await searchIndex({ engine }).remove(tx, 'source_id', source.id)
  await deleteChunks(tx, 'source_id', source.id)
  await deleteDocuments(tx, source.id)
}

/**
 * A step: takes out some of what a source says, of which no search finds anything any more.
 *
 * @returns how many chunks that were
 */
export async function clearSomeChunks(
  tx: Tx,
  { engine }: Engine,
  sourceId: string,
  limit: number,
): Promise<number> {
  const ids = await listChunkIds(tx, sourceId, limit)
  if (ids.length === 0) return 0
  await searchIndex({ engine }).removeChunks(tx, ids)
  await deleteChunksById(tx, ids)
  return ids.length
}

/** A step: takes out a document that no search finds: one retired, or not finished. */
export async function clearDocument(tx: Tx, { engine }: Engine, documentId: string): Promise<void> {
  await searchIndex({ engine }).remove(tx, 'document_id', documentId)
  await deleteChunks(tx, 'document_id', documentId)
  await deleteDocument(tx, documentId)
}
