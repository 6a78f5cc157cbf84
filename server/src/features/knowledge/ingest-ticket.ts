import { z } from 'zod'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { SourceRow } from './store.ts'

/** What the job is enqueued by, apart from what it does. Its key is the source: one reads it at a time. */
export const ingestTicket = {
  kind: 'knowledge.ingest',
  input: z.object({ sourceId: z.string() }),
}

/** How a job reads a text: as adding it would have. */
export const mediaTypeOfTexts = 'text/markdown; charset=utf-8'

/** A step: has a source read, at once or at a time to come. */
export async function enqueueIngestion(
  { jobs }: Pick<Context, 'jobs'>,
  tx: Tx,
  { id, workspace_id }: Pick<SourceRow, 'id' | 'workspace_id'>,
  runAt?: number,
): Promise<void> {
  const when = runAt === undefined ? {} : { runAt }
  const options = { key: id, workspaceId: workspace_id, ...when }
  await jobs.enqueue(tx, ingestTicket, { sourceId: id }, options)
}
