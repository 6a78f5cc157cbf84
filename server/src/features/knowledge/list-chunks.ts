import { z } from 'zod'
import { requireOwned } from '#features/agents/index.ts'
import { listChunksOfDocument } from '#features/full-text/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { findDocument } from './document-store.ts'

/** A part of a document as searches find it. */
export interface DocumentChunk {
  /** From 0, in the order of the text. */
  readonly ordinal: number
  readonly heading: string
  readonly page: number | null
  readonly text: string
}

export interface PartOfDocument {
  readonly sourceId: string
  readonly documentId: string
  /** The first ordinal. */
  readonly from: number
}

/**
 * The chunks of a document of a source, in the order of the text.
 *
 * @throws Fault record_not_found, also for a document of another source
 */
export async function listChunks(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  { sourceId, documentId, from }: PartOfDocument,
  { limit, cursor }: PageRequest,
): Promise<Page<DocumentChunk>> {
  const source = await requireOwned(db.read, 'knowledge_sources', workspaceId, sourceId)
  const document = await findDocument(db.read, source.id, documentId)
  if (document === undefined) throw new Fault(commonFaults.record_not_found)
  const after = readCursor(cursor, z.int().min(0)) ?? from - 1
  const rows = await listChunksOfDocument(db.read, document.id, after, limit + 1)
  return pageOf(rows, limit, {
    key: ({ ordinal }) => ordinal,
    item: ({ ordinal, heading, page, text }) => ({ ordinal, heading, page, text }),
  })
}
