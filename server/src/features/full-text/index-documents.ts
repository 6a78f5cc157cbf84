import { setTimeout as sleep } from 'node:timers/promises'
import { termsOfChunk } from '#features/text-analysis/index.ts'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { listChunksOfDocument } from './chunk-store.ts'
import { listDocumentsToIndex, noteIndexed, type DocumentToIndex } from './document-index-store.ts'
import { contentOf } from './segment-content.ts'
import { addSegment, dropBuilding, replaceSegments } from './segment-store.ts'

interface Pace {
  /** Whether to pause between units for other requests. */
  readonly isBackground: boolean
  readonly signal?: AbortSignal
}

const documentsPerPage = 100
const chunksPerUnit = 100
const maxPauseMs = 100

/**
 * Adds the documents that are only in the former index to segments, and those whose terms are of
 * another version of the analyser, from the stored chunks. Until a document's last unit, searches find
 * it as before. Each document notes its version, so an interrupted run can be resumed.
 *
 * @returns the number of indexed chunks
 */
export async function indexDocuments(
  { db }: Pick<Context, 'db'>,
  pace: Pace = { isBackground: false },
): Promise<number> {
  let [count, after] = [0, '']
  for (;;) {
    const documents = await listDocumentsToIndex(db.scan, after, documentsPerPage)
    const last = documents.at(-1)
    if (last === undefined) return count
    for (const document of documents) count += await indexDocument(db, document, pace)
    after = last.id
  }
}

async function indexDocument(
  db: Database,
  document: DocumentToIndex,
  { isBackground, signal }: Pace,
): Promise<number> {
  let [count, isDone] = [0, false]
  for (let after = -1; !isDone;) {
    signal?.throwIfAborted()
    const startedAt = performance.now()
    const chunks = await listChunksOfDocument(db.read, document.id, after, chunksPerUnit)
    const isFirst = after === -1
    isDone = chunks.length < chunksPerUnit
    const analysed = chunks.map((chunk) => ({ ...chunk, ...termsOfChunk(document.title, chunk) }))
    const content = contentOf(analysed)
    await db.write(async (tx) => {
      if (isFirst) await dropBuilding(tx, document.id)
      const of = { agentId: document.agent_id, documentId: document.id } as const
      if (analysed.length > 0)
        await addSegment(tx, db.engine, { ...of, status: 'building' }, content)
      if (!isDone) return
      const isThere = await noteIndexed(tx, document.id)
      if (isThere) await replaceSegments(tx, document.id)
      else await dropBuilding(tx, document.id)
    })
    count += chunks.length
    after = chunks.at(-1)?.ordinal ?? after
    if (isBackground) await sleep(Math.min(2 * (performance.now() - startedAt), maxPauseMs))
  }
  return count
}
