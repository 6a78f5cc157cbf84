import { requireOwned } from '#features/agents/index.ts'
import {
  enqueueIngestion,
  sourceFromRow,
  updateSource,
  type RefreshInterval,
  type Source,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { dayMs, hourMs } from '#kernel/durations.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { countStoredBytes } from './file-store.ts'
import { mediaTypeOfTexts } from './new-rows.ts'

/** In milliseconds; a month is thirty days. */
export const intervalMs: Record<RefreshInterval, number> = {
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
}

/**
 * Enqueues reading a source again. Unchanged documents are not indexed again, and older versions are
 * searched until the new ones are ready. A text has no origin: it is read again only if it was not
 * read completely. A source whose bytes are not all stored is left as it is.
 *
 * @param refreshEvery the new interval; undefined keeps the present one
 * @throws Fault record_not_found, limit_reached
 */
export async function refreshSource(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'jobs'>,
  workspaceId: string,
  sourceId: string,
  refreshEvery?: RefreshInterval | null,
): Promise<Source> {
  const source = await ctx.db.write(async (tx) => {
    const row = await requireOwned(tx, 'knowledge_sources', workspaceId, sourceId)
    if (!(await canBeRead(tx, row))) return row
    const isWaiting =
      row.status === 'processing' ? {} : { status: 'queued', stage: null, progress: 0 }
    const schedule = refreshEvery === undefined ? {} : { refresh_every: refreshEvery }
    const asText = row.kind === 'text' ? { media_type: row.media_type ?? mediaTypeOfTexts } : {}
    const change = { ...isWaiting, ...schedule, ...asText, updated_at: ctx.clock.now() }
    const changed = await updateSource(tx, row.id, change)
    await requireRecordRoom(tx, ctx, 'queued_sources_per_workspace', workspaceId, 0)
    await enqueueIngestion(ctx, tx, row)
    return changed ?? row
  })
  return sourceFromRow(source)
}

async function canBeRead(reader: Reader, row: SourceRow): Promise<boolean> {
  if (row.stage === 'storing') return false
  if (row.crawl_json !== null) return true
  const isDone = row.status === 'ready' || row.status === 'processing'
  if (row.kind === 'text' && isDone) return false
  return await hasOrigin(reader, row)
}

/** Whether there is something to read: pages, or all bytes of a file or a text. */
export async function hasOrigin(reader: Reader, row: SourceRow): Promise<boolean> {
  if (row.crawl_json !== null) return true
  return row.byte_length > 0 && (await countStoredBytes(reader, row.id)) === row.byte_length
}
