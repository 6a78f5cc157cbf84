import {
  deleteHiddenSources,
  enqueueIngestion,
  insertSource,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
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

/** Sources whose rows one unit stores or removes. */
const sourcesAtOnce = 100
/** Characters of their crawl settings, which may be long. */
const crawlLengthAtOnce = 256 * 1024

/** What a hidden unit stores is shown by a later unit, which flushes it. */
const hidden = { isHidden: true, flush: 'later' } as const

interface Place {
  readonly workspaceId: string
  readonly agentId: string
}

/**
 * Stores the source rows of an agent that is still hidden, in short units. `enqueuePlaced` enqueues the
 * jobs that read its pages; texts and files wait for `storePlaced`, and fail as interrupted if it is never
 * called.
 *
 * @param placed gets the rows that may have been stored, so that a failure can remove them
 * @throws Fault plan_limit_reached, limit_reached
 */
export async function placeSources(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  place: Place,
  origins: readonly SourceOrigin[],
  placed: PlacedSource[],
): Promise<void> {
  const ids = { workspace_id: place.workspaceId, agent_id: place.agentId }
  const slice = new CpuSlice()
  while (placed.length < origins.length) {
    if (slice.isOver) await slice.next()
    const isFirst = placed.length === 0
    const part: PlacedSource[] = []
    let length = 0
    for (const { source, bytes } of origins.slice(placed.length, placed.length + sourcesAtOnce)) {
      const row = newSourceRow(ctx.clock.now(), { ...ids, ...columnsOf(source) })
      part.push({ row, bytes })
      length += row.crawl_json?.length ?? 0
      if (length > crawlLengthAtOnce) break
    }
    placed.push(...part)
    await ctx.db.write(async (tx) => {
      if (isFirst) await requireRoomForSources(tx, ctx, place, origins.length)
      for (const { row } of part) await insertSource(tx, row)
      await requireRecordRoom(tx, ctx, 'queued_sources_per_workspace', place.workspaceId, 0)
    }, hidden)
  }
}

/** A step: checks the limits for all sources at once. */
async function requireRoomForSources(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  { workspaceId, agentId }: Place,
  count: number,
): Promise<void> {
  await requireRoom(tx, workspaceId, 'sourcesPerAgent', async () => count - 1)
  await requireRecordRoom(tx, ctx, 'sources_per_agent', agentId, count)
}

/** A step of the unit that shows the agent: enqueues the jobs that read its pages. */
export async function enqueuePlaced(
  tx: Tx,
  ctx: Pick<Context, 'jobs'>,
  placed: readonly PlacedSource[],
): Promise<void> {
  const slice = new CpuSlice()
  for (const { row } of placed) {
    if (slice.isOver) await slice.next()
    if (row.crawl_json !== null) await enqueueIngestion(ctx, tx, row)
  }
}

/** Removes the sources of an agent that was not shown. */
export async function removePlaced(
  { db }: Pick<Context, 'db'>,
  placed: readonly PlacedSource[],
): Promise<void> {
  const ids = placed.map(({ row }) => row.id)
  const slice = new CpuSlice()
  for (let at = 0; at < ids.length; at += sourcesAtOnce) {
    if (slice.isOver) await slice.next()
    await db.write((tx) => deleteHiddenSources(tx, ids.slice(at, at + sourcesAtOnce)), hidden)
  }
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
  for (const { row, bytes } of placed) {
    if (row.crawl_json !== null) continue
    try {
      await storeOriginal(ctx, row, bytes())
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // The source was deleted during the copy: the others are not affected.
      ctx.log.warn({ err: error, sourceId: row.id }, 'a source could not be copied')
      await ctx.db.write((tx) => failAsInterrupted(tx, ctx.clock.now(), row.id))
    }
  }
}
