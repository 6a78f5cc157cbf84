import type { Selectable } from 'kysely'
import type { AnalysedChunk } from '#features/text-analysis/index.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { searchIndexes } from './search-index.ts'
import { insertChunks, takeCollection } from './chunk-store.ts'

/** A step: stores chunks of a document and indexes them. Chunks must be distinct. */
export async function indexChunks(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  document: Pick<Selectable<Schema['knowledge_documents']>, 'id' | 'source_id' | 'agent_id'>,
  chunks: readonly AnalysedChunk[],
): Promise<void> {
  const rows = chunks.map(({ ordinal, heading, page, text, tokenCount, ...terms }) => ({
    source_id: document.source_id,
    document_id: document.id,
    agent_id: document.agent_id,
    ordinal,
    heading,
    page,
    text,
    token_count: tokenCount,
    term_count: terms.headingTerms.length + terms.bodyTerms.length,
  }))
  const collection = await takeCollection(tx, document.agent_id)
  const ids = await insertChunks(tx, rows)
  const indexed = ids.flatMap((id, at) => {
    const chunk = chunks[at]
    return chunk === undefined ? [] : [{ ...chunk, id }]
  })
  await searchIndexes[engine].add(tx, collection.id, indexed)
}
