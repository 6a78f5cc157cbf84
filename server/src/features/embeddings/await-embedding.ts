import { updateSource, type SourceRow } from '#features/knowledge/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Embedder } from './embed-texts.ts'
import { enqueueEmbedding } from './embed-ticket.ts'
import { findSpace } from './space-store.ts'

/**
 * A step after reading: full text finds the source already; it is `processing` until vectors do too.
 * Nothing is left to do where none of its chunks has changed.
 *
 * @param embedder of the workspace, found before the unit; null where there is none
 */
export async function awaitEmbedding(
  tx: Tx,
  ctx: Pick<Context, 'jobs'>,
  source: SourceRow,
  embedder: Embedder | null,
): Promise<SourceRow> {
  if (embedder === null || source.chunk_count === 0) return source
  const space = await findSpace(tx, source.agent_id, embedder.id)
  if (space !== undefined && space.id === source.vector_space_id) return source
  await enqueueEmbedding(ctx, tx, source)
  const change = { status: 'processing', stage: 'embedding', progress: 0 }
  return (await updateSource(tx, source.id, change)) ?? source
}
