import { createHash } from 'node:crypto'
import { requireOwned } from '#features/agents/index.ts'
import {
  crawlOf,
  enqueueIngestion,
  forgetVersions,
  sourceFromRow,
  updateSource as updateRow,
  withdrawIngestion,
  type Crawl,
  type RefreshInterval,
  type Source,
  type SourceChange,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { requireRecordRoom } from '#features/quotas/index.ts'
import { chunkInSlices } from '#features/text-analysis/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { storableText } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { keepText, readableText } from './add-text-source.ts'
import { deleteBytes } from './file-store.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { mediaTypeOfTexts } from './new-rows.ts'
import { hasOrigin, intervalMs } from './refresh-source.ts'

/** A field that is left out stays as it is. */
export interface SourceChanges {
  readonly title?: string | undefined
  /** Only of a text. */
  readonly text?: string | undefined
  /** Only of web pages. */
  readonly pages?: PageChanges | undefined
  /** Only of web pages; null for never. */
  readonly refreshEvery?: RefreshInterval | null | undefined
}

/** Undefined fields stay as they are too. */
type PageChanges = {
  readonly [Field in 'include' | 'exclude' | 'maxPages']?: Crawl[Field] | undefined
}

type Ports = Pick<Context, 'db' | 'clock' | 'config' | 'jobs'>

/**
 * Changes a source. If its text, its patterns or the title of its passages change, a job reads it again,
 * and searches find the older version until the new one is complete.
 *
 * @throws Fault source_field_unfit, source_being_read, source_too_large, source_empty, limit_reached,
 *   record_not_found
 */
export async function updateSource(
  ctx: Ports,
  workspaceId: string,
  sourceId: string,
  changes: SourceChanges,
): Promise<Source> {
  const text =
    changes.text === undefined
      ? undefined
      : readableText(changes.text, ctx.config.maxTextSourceBytes)
  if (text !== undefined && (await chunkInSlices(text)).length === 0)
    throw new Fault(ingestionFaults.source_empty)
  const row = await ctx.db.write(async (tx) => {
    const found = await requireOwned(tx, 'knowledge_sources', workspaceId, sourceId)
    requireFitting(found, changes)
    const title = changes.title === undefined ? found.title : storableText(changes.title)
    const plan = planOf(found, { ...changes, title, text })
    if (plan.isReadAgain && isBusy(found)) throw new Fault(ingestionFaults.source_being_read)
    if (plan.isTextNew && text !== undefined) await replaceText(tx, found.id, text)
    const changed = await changeRow(tx, ctx, found, plan.change)
    if (plan.isTextNew)
      await requireRecordRoom(tx, ctx, 'storage_bytes_per_workspace', workspaceId, 0)
    if (plan.isReadAgain && (await hasOrigin(tx, changed)))
      return await readAgain(tx, ctx, changed, plan)
    return changes.refreshEvery === undefined ? changed : await reschedule(tx, ctx, changed)
  })
  return sourceFromRow(row)
}

/** @throws Fault source_field_unfit */
function requireFitting({ kind, crawl_json }: SourceRow, changes: SourceChanges): void {
  const unfit = (field: string) => new Fault(ingestionFaults.source_field_unfit, { kind, field })
  if (changes.text !== undefined && kind !== 'text') throw unfit('text')
  if (crawl_json !== null) return
  for (const [field, value] of Object.entries(changes.pages ?? {}))
    if (value !== undefined) throw unfit(field === 'maxPages' ? 'max_pages' : field)
  if (changes.refreshEvery !== undefined) throw unfit('refresh_every')
}

/** Whether a process is storing it, or a job is reading it. */
function isBusy({ status, stage }: SourceRow): boolean {
  return status === 'processing' && stage !== 'embedding'
}

interface Plan {
  readonly change: SourceChange
  readonly isTextNew: boolean
  /** Whether its passages have a new title, which is indexed with them. */
  readonly isRetitled: boolean
  readonly isReadAgain: boolean
}

function planOf(
  row: SourceRow,
  { title, text, pages, refreshEvery }: SourceChanges & { readonly title: string },
): Plan {
  const crawl = crawlOf(row)
  // The pages of a site have titles of their own.
  const isOnePage = row.kind === 'url' && crawl?.depth === 0
  const isRetitled = title !== row.title && (crawl === null || isOnePage)
  const named = isRetitled ? { title } : {}
  const crawlJson = crawl === null ? null : JSON.stringify({ ...crawl, ...given(pages), ...named })
  const sha256 = text === undefined ? row.sha256 : createHash('sha256').update(text).digest('hex')
  const isTextNew = sha256 !== row.sha256
  const stored =
    text === undefined
      ? {}
      : { sha256, byte_length: Buffer.byteLength(text), media_type: mediaTypeOfTexts }
  const schedule = refreshEvery === undefined ? {} : { refresh_every: refreshEvery }
  return {
    change: { title, crawl_json: crawlJson, ...schedule, ...(isTextNew ? stored : {}) },
    isTextNew,
    isRetitled,
    isReadAgain: isTextNew || isRetitled || crawlJson !== row.crawl_json,
  }
}

function given(pages: PageChanges = {}): Partial<Crawl> {
  return Object.fromEntries(Object.entries(pages).filter(([, value]) => value !== undefined))
}

async function replaceText(tx: Tx, sourceId: string, text: string): Promise<void> {
  await deleteBytes(tx, sourceId)
  await keepText(tx, sourceId, text)
}

async function changeRow(
  tx: Tx,
  { clock }: Ports,
  { id }: SourceRow,
  change: SourceChange,
): Promise<SourceRow> {
  const row = await updateRow(tx, id, { ...change, updated_at: clock.now() })
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return row
}

/** A step: a job reads the source, with a new title even if its bytes are the same. */
async function readAgain(
  tx: Tx,
  ctx: Ports,
  row: SourceRow,
  { isRetitled }: Plan,
): Promise<SourceRow> {
  if (isRetitled) await forgetVersions(tx, row.id)
  const asText = row.kind === 'text' ? { media_type: row.media_type ?? mediaTypeOfTexts } : {}
  const waiting = { status: 'queued', stage: null, progress: 0, ...asText }
  const changed = await changeRow(tx, ctx, row, waiting)
  await requireRecordRoom(tx, ctx, 'queued_sources_per_workspace', row.workspace_id, 0)
  await enqueueIngestion(ctx, tx, changed)
  return changed
}

/** A step: when the pages are read next. A reading that is due or runs now sets it at its end. */
async function reschedule(tx: Tx, ctx: Ports, row: SourceRow): Promise<SourceRow> {
  if (row.status === 'queued' || isBusy(row)) return row
  const { refreshEvery } = sourceFromRow(row)
  await withdrawIngestion(ctx, tx, row.id)
  const readAt = row.last_indexed_at ?? row.created_at
  const next =
    refreshEvery === null ? null : Math.max(ctx.clock.now(), readAt + intervalMs[refreshEvery])
  if (next !== null) await enqueueIngestion(ctx, tx, row, next)
  return await changeRow(tx, ctx, row, { next_refresh_at: next })
}
