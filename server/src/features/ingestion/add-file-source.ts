import { createHash } from 'node:crypto'
import { formatOf, knownExtensions } from '#features/file-readers/index.ts'
import {
  enqueueIngestion,
  sourceFromRow,
  deleteSourceRow,
  findTwin,
  updateSource,
  type Source,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { hasRecordRoom, requireRecordRoom } from '#features/quotas/index.ts'
import { inPieces, pieceBytes } from '#kernel/byte-pieces.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { storableText } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import type { Tx, WriteOptions } from '#platform/db/database.ts'
import { insertPiece } from './file-store.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { moveNewFile } from './move-files.ts'
import { insertNewSource } from './new-rows.ts'

export interface NewFileSource {
  /** UUID or `app_name_id`. */
  readonly appId: string
  /** Its extension names its format. */
  readonly filename: string
  readonly mediaType?: string
  /** The filename by default. */
  readonly title?: string
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

type Ports = Pick<Context, 'db' | 'clock' | 'config' | 'jobs' | 'objects'>

/** How much of a workspace's room an upload takes at once, before it stores the bytes. */
const reservedPieces = 16

/**
 * Stores a file and enqueues the job that reads it. Searches find it when its status is `ready`. If the
 * agent already has a file of the same name and bytes, that source is returned.
 *
 * @throws Fault source_format_unknown, source_too_large, plan_limit_reached, limit_reached (also while
 *   its bytes arrive), record_not_found (also when the source is deleted while its bytes arrive)
 */
export async function addFileSource(
  ctx: Ports,
  workspaceId: string,
  input: NewFileSource,
): Promise<Source> {
  const filename = storableText(input.filename)
  const mediaType = input.mediaType ?? null
  requireKnownFormat({ filename, mediaType })
  const given = { kind: 'file', filename, media_type: mediaType }
  const title = storableText(input.title ?? filename)
  const source = await ctx.db.write((tx) =>
    insertNewSource(tx, ctx, { workspaceId, appId: input.appId }, { ...given, title }),
  )
  try {
    return sourceFromRow(await storeOriginal(ctx, source, input.bytes))
  } catch (error) {
    await ctx.db.write((tx) => deleteSourceRow(tx, source.id))
    throw error
  }
}

/** @throws Fault source_format_unknown */
export function requireKnownFormat(file: Parameters<typeof formatOf>[0]): void {
  const format = formatOf(file)
  if (format === null || format === 'sitemap')
    throw new Fault(ingestionFaults.source_format_unknown, { known: knownExtensions })
}

/**
 * Stores the bytes of an existing source, in small units, and enqueues the job that reads them.
 *
 * @param options of each unit
 * @returns the source, or the agent's source with the same name and bytes
 * @throws Fault source_too_large, source_empty, limit_reached, record_not_found when it was deleted
 *   meanwhile
 */
export async function storeOriginal(
  ctx: Ports,
  source: SourceRow,
  bytes: NewFileSource['bytes'],
  options: WriteOptions = {},
): Promise<SourceRow> {
  const stored = await storeBytes(ctx, source, bytes, options)
  return await ctx.db.write((tx) => handOver(ctx, tx, source, stored), options)
}

type Stored = Pick<SourceRow, 'byte_length' | 'sha256'>

async function storeBytes(
  ctx: Ports,
  source: SourceRow,
  bytes: NewFileSource['bytes'],
  options: WriteOptions,
): Promise<Stored> {
  const limit = ctx.config.maxFileSourceBytes
  const hash = createHash('sha256')
  let length = 0
  let reserved = 0
  let ordinal = 0
  for await (const piece of inPieces(bytes, pieceBytes)) {
    length += piece.length
    if (length > limit)
      throw new Fault(ingestionFaults.source_too_large, { bytes: length, limit_bytes: limit })
    hash.update(piece)
    const number = ordinal++
    const needed = length
    const held = reserved
    reserved = await ctx.db.write(async (tx) => {
      const now = needed <= held ? held : await reserveRoom(tx, ctx, source, needed)
      const row = await updateSource(tx, source.id, {
        byte_length: now,
        updated_at: ctx.clock.now(),
      })
      if (row === undefined) throw new Fault(commonFaults.record_not_found)
      await insertPiece(tx, source.id, number, piece)
      return now
    }, options)
  }
  if (length === 0) throw new Fault(ingestionFaults.source_empty)
  return { byte_length: length, sha256: hash.digest('hex') }
}

/**
 * A step: the bytes that count as the source's own while it arrives, so that uploads at the same time
 * never exceed the workspace's limit together.
 *
 * @throws Fault limit_reached
 */
async function reserveRoom(
  tx: Tx,
  ctx: Ports,
  { id, workspace_id }: SourceRow,
  needed: number,
): Promise<number> {
  await updateSource(tx, id, { byte_length: needed })
  const ahead = (reservedPieces - 1) * pieceBytes
  if (await hasRecordRoom(tx, ctx, 'storage_bytes_per_workspace', workspace_id, ahead))
    return needed + ahead
  await requireRecordRoom(tx, ctx, 'storage_bytes_per_workspace', workspace_id, 0)
  return needed
}

/** A step: enqueues the job that reads the file, unless the agent already has the same file. */
async function handOver(ctx: Ports, tx: Tx, source: SourceRow, stored: Stored): Promise<SourceRow> {
  const twin = await findTwin(tx, { ...source, ...stored })
  if (twin !== undefined) {
    await deleteSourceRow(tx, source.id)
    return twin
  }
  const change = { ...stored, status: 'queued', stage: null, updated_at: ctx.clock.now() }
  const row = await updateSource(tx, source.id, change)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  await requireRecordRoom(tx, ctx, 'storage_bytes_per_workspace', row.workspace_id, 0)
  await requireRecordRoom(tx, ctx, 'queued_sources_per_workspace', row.workspace_id, 0)
  await enqueueIngestion(ctx, tx, row)
  if (ctx.objects.place !== null)
    await ctx.jobs.enqueue(tx, moveNewFile, { sourceId: row.id }, { key: row.id })
  return row
}
