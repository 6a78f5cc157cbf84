import type { Selectable } from 'kysely'
import type { AnalysedChunk } from '#features/text-analysis/index.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { insertChunks, takeCollection } from './chunk-store.ts'
import { formerIndexes } from './former-indexes.ts'
import type { IndexedChunk } from './index-store.ts'
import { contentOf } from './segment-content.ts'
import { addSegment } from './segment-store.ts'

type Engine = Pick<Database, 'engine'>
type Document = Pick<Selectable<Schema['knowledge_documents']>, 'id' | 'source_id' | 'agent_id'>

/**
 * A step: stores chunks of a document and indexes them. Searches find them when the document is
 * published.
 */
export async function indexChunks(
  tx: Tx,
  { engine }: Engine,
  document: Document,
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
  const ids = await insertChunks(tx, rows)
  const indexed = ids.flatMap((id, at) => {
    const chunk = chunks[at]
    return chunk === undefined ? [] : [{ ...chunk, id }]
  })
  const of = { agentId: document.agent_id, documentId: document.id, status: 'building' } as const
  await addSegment(tx, engine, of, contentOf(indexed))
  await addToFormerIndex(tx, { engine }, document.agent_id, indexed)
}

/**
 * The former index must be complete while it is searched: by this version until an agent's documents
 * are in segments, and on PostgreSQL by processes of the version before during a rolling upgrade.
 */
async function addToFormerIndex(
  tx: Tx,
  { engine }: Engine,
  agentId: string,
  chunks: readonly IndexedChunk[],
): Promise<void> {
  const { id, needs_former: needsFormer } = await takeCollection(tx, agentId)
  if (engine === 'postgres' || needsFormer) await formerIndexes[engine].add(tx, id, chunks)
}
