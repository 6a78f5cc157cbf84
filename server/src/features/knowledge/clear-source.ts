import { growCollection, removeChunks } from '#features/full-text/index.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { deleteDocuments, sumDocuments } from './document-store.ts'
import type { SourceRow } from './store.ts'

type Engine = Pick<Database, 'engine'>

/** A step: deletes the documents and chunks of a source. */
export async function clearSource(
  tx: Tx,
  engine: Engine,
  source: Pick<SourceRow, 'id' | 'agent_id'>,
): Promise<void> {
  const { chunks, terms } = await sumDocuments(tx, source.id)
  await growCollection(tx, source.agent_id, { chunks: -chunks, terms: -terms })
  await removeChunks(tx, engine, 'source_id', source.id)
  await deleteDocuments(tx, 'source_id', source.id)
}

/** A step: deletes a document that searches do not find: a retired or unfinished one. */
export async function clearDocument(tx: Tx, engine: Engine, documentId: string): Promise<void> {
  await removeChunks(tx, engine, 'document_id', documentId)
  await deleteDocuments(tx, 'id', documentId)
}
