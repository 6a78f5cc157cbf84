import { analysisVersion } from '#features/text-analysis/index.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type DocumentToIndex = Awaited<ReturnType<typeof listDocumentsToIndex>>[number]

/** Ready documents after this id whose segments are missing or have the terms of another version. */
export function listDocumentsToIndex(reader: Reader, after: string, limit: number) {
  return reader
    .selectFrom('knowledge_documents as document')
    .innerJoin('knowledge_sources as source', 'source.id', 'document.source_id')
    .select(['document.id', 'document.agent_id'])
    .select((e) => e.fn.coalesce('document.title', 'source.title').as('title'))
    .where('document.id', '>', after)
    .where('document.status', '=', 'ready')
    .where((e) =>
      e.or([
        e('document.analysis_version', 'is', null),
        e('document.analysis_version', '<>', analysisVersion),
      ]),
    )
    .orderBy('document.id')
    .limit(limit)
    .execute()
}

/** @returns false when the document was replaced or deleted meanwhile */
export async function noteIndexed(tx: Tx, documentId: string): Promise<boolean> {
  const row = await tx
    .updateTable('knowledge_documents')
    .set({ analysis_version: analysisVersion })
    .where('id', '=', documentId)
    .where('status', '=', 'ready')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
