import { requireOwned } from '#features/agents/index.ts'
import {
  dropFromSegments,
  growCollection,
  listChunkIds,
  removeSomeChunks,
} from '#features/full-text/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { clearSource } from './clear-source.ts'
import { retireDocuments, sumDocuments } from './document-store.ts'
import { withdrawIngestion } from './ingest-ticket.ts'
import { sourceFromRow, type Source } from './source.ts'
import { deleteSourceRow, updateSource, type SourceRow } from './store.ts'

/** Deleting this many chunks takes some milliseconds, during which SQLite accepts no other write. */
const chunksPerUnit = 500

/**
 * Deletes a source with its documents and chunks. From the first commit on, searches do not find it. A
 * large source is emptied in small units, so that others can write in between. If that is interrupted,
 * the source is `failed` and empty for searches, and can be deleted again. A job that reads it stops at
 * its next step.
 *
 * @returns the source as it was
 * @throws Fault record_not_found
 */
export async function deleteSource(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  workspaceId: string,
  sourceId: string,
): Promise<Source> {
  const { source, isLarge } = await ctx.db.write(async (tx) => {
    const row = await requireOwned(tx, 'knowledge_sources', workspaceId, sourceId)
    await withdrawIngestion(ctx, tx, row.id)
    // Stored chunks, because the source's figures leave out unfinished and retired documents.
    const some = await listChunkIds(tx, 'source_id', row.id, chunksPerUnit + 1)
    const isLarge = some.length > chunksPerUnit
    if (isLarge) await takeOutOfSight(tx, ctx.clock.now(), row)
    else await deleteWhole(tx, ctx, row)
    return { source: row, isLarge }
  })
  if (isLarge) await deleteInParts(ctx, source)
  return sourceFromRow(source)
}

async function deleteWhole(tx: Tx, { db }: Pick<Context, 'db'>, row: SourceRow): Promise<void> {
  await clearSource(tx, db, row)
  await deleteSourceRow(tx, row.id)
}

/** A job that reads the source no longer publishes or begins documents: see isBeingRead. */
async function takeOutOfSight(tx: Tx, now: number, { id, agent_id }: SourceRow): Promise<void> {
  const { chunks, terms } = await sumDocuments(tx, id)
  await growCollection(tx, agent_id, { chunks: -chunks, terms: -terms })
  await dropFromSegments(tx, { of: 'source_id', id })
  await retireDocuments(tx, id)
  const holdsNothing = { document_count: 0, chunk_count: 0, token_count: 0 }
  const change = { ...holdsNothing, status: 'failed', stage: null, error_code: 'interrupted' }
  await updateSource(tx, id, { ...change, error_facts_json: null, updated_at: now })
}

async function deleteInParts(ctx: Pick<Context, 'db'>, row: SourceRow): Promise<void> {
  for (let isLast = false; !isLast;)
    isLast = await ctx.db.write(async (tx) => {
      if ((await removeSomeChunks(tx, ctx.db, 'source_id', row.id, chunksPerUnit)) > 0) return false
      await deleteWhole(tx, ctx, row)
      return true
    })
}
