import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type DocumentRow = Selectable<Schema['knowledge_documents']>

export async function insertDocument(tx: Tx, row: DocumentRow): Promise<void> {
  await tx.insertInto('knowledge_documents').values(row).execute()
}

/** @returns the changed row; undefined when it was deleted or no longer has that status */
export function updateDocument(
  tx: Tx,
  { id, status }: Pick<DocumentRow, 'id' | 'status'>,
  change: Partial<Omit<DocumentRow, 'id' | 'source_id' | 'agent_id'>>,
): Promise<DocumentRow | undefined> {
  return tx
    .updateTable('knowledge_documents')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', status)
    .returningAll()
    .executeTakeFirst()
}

/** In the order in which they were found. */
export function listDocumentRows(reader: Reader, sourceId: string): Promise<DocumentRow[]> {
  return reader
    .selectFrom('knowledge_documents')
    .selectAll()
    .where('source_id', '=', sourceId)
    .orderBy('id')
    .execute()
}

/** A page of them in the same order, without retired ones. */
export function pageOfDocuments(
  reader: Reader,
  sourceId: string,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<DocumentRow[]> {
  let query = reader
    .selectFrom('knowledge_documents')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('status', '<>', 'retired')
    .orderBy('id')
    .limit(page.limit)
  if (page.after !== undefined) query = query.where('id', '>', page.after)
  return query.execute()
}

/** The totals of the documents of a source that searches find. */
export async function sumDocuments(reader: Reader, sourceId: string) {
  const sums = await reader
    .selectFrom('knowledge_documents')
    .select((e) => [
      e.fn.countAll<number>().as('documents'),
      e.fn.sum<number | null>('chunk_count').as('chunks'),
      e.fn.sum<number | null>('token_count').as('tokens'),
      e.fn.sum<number | null>('term_count').as('terms'),
    ])
    .where('source_id', '=', sourceId)
    .where('status', '=', 'ready')
    .executeTakeFirstOrThrow()
  // PostgreSQL sums bigint as numeric, which arrives as text.
  const { documents, chunks, tokens, terms } = sums
  return { documents, chunks: Number(chunks), tokens: Number(tokens), terms: Number(terms) }
}

/**
 * Their next reading indexes and embeds the documents of the source again, even if their bytes are the
 * same. Searches find them until then.
 */
export async function forgetVersions(tx: Tx, sourceId: string): Promise<void> {
  await tx
    .updateTable('knowledge_documents')
    .set({ sha256: null, etag: null, last_modified: null })
    .where('source_id', '=', sourceId)
    .where('status', '=', 'ready')
    .execute()
}

/** Searches no longer find the documents of the source, and unfinished ones are never published. */
export async function retireDocuments(tx: Tx, sourceId: string): Promise<void> {
  await tx
    .updateTable('knowledge_documents')
    .set({ status: 'retired' })
    .where('source_id', '=', sourceId)
    .execute()
}

export async function deleteDocuments(tx: Tx, of: 'source_id' | 'id', id: string): Promise<void> {
  await tx.deleteFrom('knowledge_documents').where(of, '=', id).execute()
}

/** A document of the source that has not been replaced. */
export function findDocument(
  reader: Reader,
  sourceId: string,
  documentId: string,
): Promise<DocumentRow | undefined> {
  return reader
    .selectFrom('knowledge_documents')
    .selectAll()
    .where('id', '=', documentId)
    .where('source_id', '=', sourceId)
    .where('status', '<>', 'retired')
    .executeTakeFirst()
}
