import {
  deleteHiddenSources,
  enqueueIngestion,
  insertSource,
  withdrawIngestion,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { Fault } from '#kernel/fault.ts'
import { storableText } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import type { Tx, WriteOptions } from '#platform/db/database.ts'
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
/** A later unit flushes it, or no answer that a caller received depends on it. */
const flushedLater = { flush: 'later' } as const

/**
 * When the jobs of a hidden agent's pages run if `storePlaced` never brings them forward. By then the agent
 * is shown, or its process has died.
 */
const placedForMs = 60 * 60_000

interface Place {
  readonly workspaceId: string
  readonly agentId: string
}

/**
 * Stores the source rows of an agent that is still hidden, in short units, and enqueues the jobs that read
 * its pages for a later time. Texts and files wait for `storePlaced`, and fail as interrupted if it is
 * never called.
 *
 * @param placed gets the rows that may have been stored, so that a failure can remove them
 * @throws Fault plan_limit_reached, limit_reached
 */
export async function placeSources(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'jobs'>,
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
      await enqueueReadings(tx, ctx, part.filter(isOfPages), ctx.clock.now() + placedForMs)
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

function isOfPages({ row }: PlacedSource): boolean {
  return row.crawl_json !== null
}

/** A step: a source whose reading is enqueued for a later time is read at this one. */
async function enqueueReadings(
  tx: Tx,
  ctx: Pick<Context, 'jobs'>,
  pages: readonly PlacedSource[],
  runAt: number,
): Promise<void> {
  for (const { row } of pages) await enqueueIngestion(ctx, tx, row, runAt)
}

/** Removes the sources of an agent that was not shown, and the jobs that would read its pages. */
export async function removePlaced(
  ctx: Pick<Context, 'db' | 'jobs'>,
  placed: readonly PlacedSource[],
): Promise<void> {
  const pages = new Set(placed.filter(isOfPages).map(({ row }) => row.id))
  await inUnits(ctx, placed, hidden, async (tx, part) => {
    const ids = part.map(({ row }) => row.id)
    // A lost answer does not say whether the agent was shown: its sources and their jobs then stay.
    for (const id of await deleteHiddenSources(tx, ids))
      if (pages.has(id)) await withdrawIngestion(ctx, tx, id)
  })
}

async function inUnits(
  { db }: Pick<Context, 'db'>,
  sources: readonly PlacedSource[],
  options: WriteOptions,
  step: (tx: Tx, part: readonly PlacedSource[]) => Promise<void>,
): Promise<void> {
  const slice = new CpuSlice()
  for (let at = 0; at < sources.length; at += sourcesAtOnce) {
    if (slice.isOver) await slice.next()
    await db.write((tx) => step(tx, sources.slice(at, at + sourcesAtOnce)), options)
  }
}

function columnsOf(source: PortableSource) {
  if (source.kind === 'text') {
    const { kind, title, url, isAnswer } = source
    const is_answer = isAnswer ? 1 : 0
    return { kind, title: storableText(title), url, media_type: mediaTypeOfTexts, is_answer }
  }
  if (source.kind === 'file') {
    const { kind, title, filename, mediaType } = source
    const named = { filename: storableText(filename), media_type: mediaType }
    return { kind, title: storableText(title), ...named }
  }
  return columnsOfPages(source)
}

/**
 * Stores the bytes of placed sources in small units, and enqueues the jobs that read them, now that the
 * agent is shown. Only the last source is flushed, and with it all before it.
 */
export async function storePlaced(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'jobs' | 'log' | 'objects'>,
  placed: readonly PlacedSource[],
): Promise<void> {
  // If the machine stops before the flush, the jobs run at the later time.
  await inUnits(ctx, placed.filter(isOfPages), flushedLater, (tx, part) =>
    enqueueReadings(tx, ctx, part, ctx.clock.now()),
  )
  const stored = placed.filter((source) => !isOfPages(source))
  for (const source of stored)
    await storeOne(ctx, source, source === stored.at(-1) ? {} : flushedLater)
}

async function storeOne(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'jobs' | 'log' | 'objects'>,
  { row, bytes }: PlacedSource,
  options: WriteOptions,
): Promise<void> {
  try {
    await storeOriginal(ctx, row, bytes(), options)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    // The source was deleted during the copy: the others are not affected.
    ctx.log.warn({ err: error, sourceId: row.id }, 'a source could not be copied')
    await ctx.db.write((tx) => failAsInterrupted(tx, ctx.clock.now(), row.id), options)
  }
}
