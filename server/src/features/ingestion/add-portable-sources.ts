import { enqueueIngestion, insertSource, type SourceRow } from '#features/knowledge/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import { storableText } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireKnownFormat, storeOriginal } from './add-file-source.ts'
import { columnsOfPages, webAddress } from './add-url-source.ts'
import { failAsInterrupted } from './fail-interrupted-sources.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { mediaTypeOfTexts, newSourceRow } from './new-rows.ts'
import type { PortableSource, SourceOrigin } from './portable-sources.ts'

/** A source whose row exists and whose bytes are still to be stored. */
export interface PlacedSource {
  readonly row: SourceRow
  readonly bytes: SourceOrigin['bytes']
}

/**
 * Checks that a source can be added, before the rows of any are created.
 *
 * @throws Fault source_empty, source_too_large, source_format_unknown, source_address_invalid
 */
export function checkPortableSource(
  { config }: Pick<Context, 'config'>,
  { source, byteLength }: SourceOrigin,
): void {
  if (source.kind === 'url' || source.kind === 'sitemap') {
    webAddress(source.url)
    return
  }
  const limit = source.kind === 'text' ? config.maxTextSourceBytes : config.maxFileSourceBytes
  if (byteLength === 0) throw new Fault(ingestionFaults.source_empty)
  if (byteLength > limit)
    throw new Fault(ingestionFaults.source_too_large, { bytes: byteLength, limit_bytes: limit })
  if (source.kind === 'file') requireKnownFormat(source)
}

/**
 * A step: the source rows of a new agent. Jobs read its pages; texts and files wait for `storePlaced`,
 * and fail as interrupted if it is never called.
 *
 * @throws Fault plan_limit_reached, limit_reached
 */
export async function placeSources(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config' | 'jobs'>,
  place: { readonly workspaceId: string; readonly agentId: string },
  origins: readonly SourceOrigin[],
): Promise<readonly PlacedSource[]> {
  if (origins.length === 0) return []
  // Checks the plan's limit for all of them at once.
  await requireRoom(tx, place.workspaceId, 'sourcesPerAgent', async () => origins.length - 1)
  await requireRecordRoom(tx, ctx, 'sources_per_agent', place.agentId, origins.length)
  const placed: PlacedSource[] = []
  for (const { source, bytes } of origins) {
    const ids = { workspace_id: place.workspaceId, agent_id: place.agentId }
    const row = newSourceRow(ctx.clock.now(), { ...ids, ...columnsOf(source) })
    await insertSource(tx, row)
    if (row.crawl_json === null) placed.push({ row, bytes })
    else await enqueueIngestion(ctx, tx, row)
  }
  await requireRecordRoom(tx, ctx, 'queued_sources_per_workspace', place.workspaceId, 0)
  return placed
}

function columnsOf(source: PortableSource) {
  if (source.kind === 'text') {
    const { kind, title, url } = source
    return { kind, title: storableText(title), url, media_type: mediaTypeOfTexts }
  }
  if (source.kind === 'file') {
    const { kind, title, filename, mediaType } = source
    const named = { filename: storableText(filename), media_type: mediaType }
    return { kind, title: storableText(title), ...named }
  }
  return columnsOfPages(source)
}

/** Stores the bytes of placed sources in small units, and enqueues the jobs that read them. */
export async function storePlaced(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'jobs' | 'log'>,
  placed: readonly PlacedSource[],
): Promise<void> {
  for (const { row, bytes } of placed)
    try {
      await storeOriginal(ctx, row, bytes())
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // The source was deleted during the copy: the others are not affected.
      ctx.log.warn({ err: error, sourceId: row.id }, 'a source could not be copied')
      await ctx.db.write((tx) => failAsInterrupted(tx, ctx.clock.now(), row.id))
    }
}
