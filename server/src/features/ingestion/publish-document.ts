import {
  dropFromSegments,
  growCollection,
  publishSegments,
  sumChunks,
} from '#features/full-text/index.ts'
import {
  addSourceChunks,
  updateDocument,
  updateSource,
  type DocumentRow,
} from '#features/knowledge/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'

/**
 * A step: from its commit on, searches find the document instead of the one it replaces.
 *
 * @throws Fault limit_reached; record_not_found when its source was deleted, or another run took over, meanwhile
 */
export async function publishDocument(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  documentId: string,
  { replaces, ...change }: DocumentChange = {},
): Promise<DocumentRow> {
  const now = ctx.clock.now()
  const { chunks, tokens, terms } = await sumChunks(tx, documentId)
  const row = await updateDocument(
    tx,
    { id: documentId, status: 'building' },
    {
      ...change,
      status: 'ready',
      chunk_count: chunks,
      token_count: tokens,
      term_count: terms,
      checked_at: now,
      updated_at: now,
    },
  )
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  await publishSegments(tx, documentId)
  await growCollection(tx, row.agent_id, { chunks, terms })
  await updateSource(tx, row.source_id, { vector_space_id: null })
  const source = await addSourceChunks(tx, row.source_id, chunks)
  if (replaces !== undefined) await retireDocument(tx, replaces)
  if (source !== undefined)
    await requireRecordRoom(tx, ctx, 'chunks_per_workspace', source.workspace_id, 0)
  return row
}

interface DocumentChange extends Partial<Pick<DocumentRow, Changed>> {
  readonly links_json?: string
  /** The id of the document's older version. */
  readonly replaces?: string
}

type Changed = 'title' | 'url' | 'page_count' | 'sha256' | 'etag' | 'last_modified'

/** A step: from its commit on, searches do not find the document. Its chunks remain to be deleted. */
export async function retireDocument(tx: Tx, documentId: string): Promise<void> {
  const row = await updateDocument(tx, { id: documentId, status: 'ready' }, { status: 'retired' })
  if (row === undefined) return
  await dropFromSegments(tx, { of: 'document_id', id: documentId })
  await addSourceChunks(tx, row.source_id, -row.chunk_count)
  await growCollection(tx, row.agent_id, { chunks: -row.chunk_count, terms: -row.term_count })
}
