import { requireOwned } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { readOriginal } from './read-original.ts'
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
 * @throws Fault record_not_found, also for pages, and while the bytes are not all stored;
 *   source_bytes_unavailable, source_bytes_lost
 */
export async function openOriginal(
  ctx: Pick<Context, 'db' | 'objects' | 'log'>,
  workspaceId: string,
  sourceId: string,
): Promise<Original> {
  const row = await requireOwned(ctx.db.read, 'knowledge_sources', workspaceId, sourceId)
  if (row.crawl_json !== null || !(await hasOrigin(ctx.db.read, row)))
    throw new Fault(commonFaults.record_not_found)
  const filename = row.filename ?? `${row.title}.md`
  return { filename, byteLength: row.byte_length, bytes: await begun(readOriginal(ctx, row.id)) }
}

/** Reads the first piece at once, while an error can still be the answer. */
async function begun(pieces: AsyncGenerator<Uint8Array>): Promise<AsyncGenerator<Uint8Array>> {
  const first = await pieces.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* pieces
  })()
}
