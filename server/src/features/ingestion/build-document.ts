import { setTimeout as sleep } from 'node:timers/promises'
import { documentFaults } from '#features/file-readers/index.ts'
import { indexChunks } from '#features/full-text/index.ts'
import type { AnalysedChunk } from '#features/text-analysis/index.ts'
import {
  insertDocument,
  updateDocument,
  isBeingRead,
  updateSource,
  type DocumentRow,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { BoundedWorker } from '#platform/bounded-workers/bounded-workers.ts'
import type { Context } from '#platform/context.ts'
import type { DocumentAnswer, DocumentTask } from './document-worker.ts'
import { newDocumentRow } from './new-rows.ts'

/** A source while a job reads it. */
export interface Ingestion {
  readonly ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'outbound' | 'config' | 'log' | 'objects'>
  readonly source: SourceRow
  readonly worker: BoundedWorker
  readonly signal: AbortSignal
  /** True when an earlier run of this round was interrupted: what it read is not read again. */
  readonly resumes: boolean
}

export interface DocumentToBuild {
  readonly task: DocumentTask
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  readonly given: Partial<DocumentRow>
  /** False for a document that is read only for its links. */
  wants(head: DocumentHead): boolean
  progress(part: number): number
}

export type DocumentHead = Extract<DocumentAnswer, { title: string }>

export interface BuiltDocument {
  readonly head: DocumentHead
  /** Null when it is empty or was not wanted. */
  readonly document: DocumentRow | null
  /** Numbers of damaged pages, which are left out. */
  readonly lostPages: readonly number[]
}

/**
 * Reads a document in the worker and stores its chunks as they arrive, under a document that searches
 * do not find yet.
 *
 * @throws Fault of the reading; document_damaged when every page with content is damaged;
 *   limit_reached; record_not_found when the source was deleted or another run has taken over
 */
export async function buildDocument(
  ingestion: Ingestion,
  { task, bytes, given, wants, progress }: DocumentToBuild,
): Promise<BuiltDocument> {
  const { ctx, source, worker, signal } = ingestion
  const document = newDocumentRow(ctx.clock.now(), source, given)
  let head: DocumentHead | null = null
  const lostPages: number[] = []
  let stored = 0
  let saysSomething = false
  for await (const value of worker.run(task, bytes, signal)) {
    const answer = value as DocumentAnswer // what document-worker.ts yields
    if ('title' in answer) head = answer
    else if ('lostPage' in answer) lostPages.push(answer.lostPage)
    else if ('chunks' in answer && answer.chunks.length > 0 && head !== null) {
      saysSomething = true
      if (!wants(head)) continue
      const part = progress(answer.progress)
      await storeChunks(ingestion, document, answer.chunks, { stored, part })
      stored += answer.chunks.length
    }
  }
  if (head === null) throw new Error('the worker ended without an answer')
  if (lostPages.length > 0 && !saysSomething) throw new Fault(documentFaults.document_damaged)
  return { head, document: stored > 0 ? document : null, lostPages }
}

async function storeChunks(
  { ctx, source }: Ingestion,
  document: DocumentRow,
  chunks: readonly AnalysedChunk[],
  { stored, part }: { readonly stored: number; readonly part: number },
): Promise<void> {
  const startedAt = performance.now()
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    if (stored === 0) {
      if (!(await isBeingRead(tx, source.id))) throw new Fault(commonFaults.record_not_found)
      await insertDocument(tx, document)
    } else if ((await updateDocument(tx, document, { updated_at: now })) === undefined) {
      // The source was deleted, or a later run took over and removed this document.
      throw new Fault(commonFaults.record_not_found)
    }
    const adding = stored + chunks.length
    await requireRecordRoom(tx, ctx, 'chunks_per_workspace', source.workspace_id, adding)
    await indexChunks(tx, ctx.db, document, chunks)
    await updateSource(tx, source.id, { progress: Math.floor(part * 100), updated_at: now })
  })
  // Yield to other requests for twice as long as this batch delayed them.
  await sleep(Math.min(2 * (performance.now() - startedAt), maxPauseMs))
}

const maxPauseMs = 100
