import { updateSource, type SourceRow } from '#features/knowledge/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Embedder } from './embed-texts.ts'
import { enqueueEmbedding } from './embed-ticket.ts'
import { findSpace } from './space-store.ts'

/**
 * A step after reading: the source stays `processing` until its chunks have vectors, although full text
 * already finds it. A source whose chunks have not changed is done.
 *
 * @param embedder of the workspace, found before the unit; null if there is none
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
