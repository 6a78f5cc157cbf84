import { requireOwned } from '#features/agents/index.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { pageById, type IdWindow, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { pageOfDocuments, type DocumentRow } from './document-store.ts'

/** A text, a file, or a page of a crawl. */
export interface SourceDocument {
  readonly id: string
  /** Searches find `ready` ones; `building` ones are being read. */
  readonly status: 'building' | 'ready'
  /** Null if it has no title or address of its own: then the source's apply. */
  readonly title: string | null
  readonly url: string | null
  readonly pageCount: number | null
  readonly chunkCount: number
  /** When it was last found to be unchanged. */
  readonly checkedAt: number
}

/**
 * The documents of a source in the order in which they were found.
 *
 * @throws Fault record_not_found
 */
export async function listDocuments(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  sourceId: string,
  page: PageRequest,
): Promise<Page<SourceDocument>> {
  const source = await requireOwned(ctx.db.read, 'knowledge_sources', workspaceId, sourceId)
  const read = (window: IdWindow) => pageOfDocuments(ctx.db.read, source.id, window)
  return await pageById(page, read, documentFromRow)
}

function documentFromRow(row: DocumentRow): SourceDocument {
  return { ...camelKeys(row), status: row.status === 'ready' ? 'ready' : 'building' }
}
