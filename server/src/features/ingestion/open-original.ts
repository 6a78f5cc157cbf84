import { requireOwned } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { readPieces } from './file-store.ts'
import { hasOrigin } from './refresh-source.ts'

/** A file as it was uploaded, or a text as it was written. */
export interface Original {
  readonly filename: string
  readonly byteLength: number
  readonly bytes: AsyncGenerator<Uint8Array>
}

/**
 * The stored bytes of a source, which are read while they are sent.
 *
 * @throws Fault record_not_found, also for pages, and while the bytes are not all stored
 */
export async function openOriginal(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  sourceId: string,
): Promise<Original> {
  const row = await requireOwned(db.read, 'knowledge_sources', workspaceId, sourceId)
  if (row.crawl_json !== null || !(await hasOrigin(db.read, row)))
    throw new Fault(commonFaults.record_not_found)
  const filename = row.filename ?? `${row.title}.md`
  return { filename, byteLength: row.byte_length, bytes: readPieces(db.read, row.id) }
}
