import { createHash } from 'node:crypto'
import { requireAgent } from '#features/agents/index.ts'
import { formatOf, knownExtensions } from '#features/file-readers/index.ts'
import {
  enqueueIngestion,
  sourceFromRow,
  countSources,
  deleteSourceRow,
  findTwin,
  insertSource,
  updateSource,
  type Source,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertPiece } from './file-store.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { newSourceRow } from './new-rows.ts'
import { storableText } from './storable-text.ts'

export interface NewFileSource {
  /** UUID or `app_name_id`. */
  readonly appId: string
  /** With the ending that says what it is. */
  readonly filename: string
  readonly mediaType?: string
  /** The name of the file unless given. */
  readonly title?: string
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

type Ports = Pick<Context, 'db' | 'clock' | 'config' | 'jobs'>

/**
 * File bytes are stored and read in pieces, so that neither engine nor process holds a whole file.
 */
export const pieceBytes = 256 * 1024

/**
 * Stores a file and has a job read it; searches find it when its status is `ready`. A file that the
 * agent has already, by its name and its bytes, is that source again.
 *
 * @throws Fault source_format_unknown, source_too_large, plan_limit_reached, record_not_found (also
 *   when the source is deleted while its bytes come)
 */
export async function addFileSource(
  ctx: Ports,
  workspaceId: string,
  input: NewFileSource,
): Promise<Source> {
  const filename = storableText(input.filename)
  const mediaType = input.mediaType ?? null
  const format = formatOf({ filename, mediaType })
  if (format === null || format === 'sitemap')
    throw new Fault(ingestionFaults.source_format_unknown, { known: knownExtensions })
  const source = await ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, input.appId)
    await requireRoom(tx, workspaceId, 'sourcesPerAgent', () => countSources(tx, agent.id))
    const row = newSourceRow(ctx.clock.now(), {
      workspace_id: workspaceId,
      agent_id: agent.id,
      kind: 'file',
      title: storableText(input.title ?? filename),
      filename,
      media_type: mediaType,
    })
    await insertSource(tx, row)
    return row
  })
  try {
    return sourceFromRow(await storeOriginal(ctx, source, input.bytes))
  } catch (error) {
    await ctx.db.write((tx) => deleteSourceRow(tx, source.id))
    throw error
  }
}

/**
 * Stores the bytes of a source that is there, in small units, and has a job read them.
 *
 * @returns the source, or the one of the agent with the same name and bytes
 * @throws Fault source_too_large, source_empty, record_not_found when it was deleted meanwhile
 */
export async function storeOriginal(
  ctx: Ports,
  source: SourceRow,
  bytes: NewFileSource['bytes'],
): Promise<SourceRow> {
  const stored = await storeBytes(ctx, source, bytes)
  return await ctx.db.write((tx) => handOver(ctx, tx, source, stored))
}

interface Stored {
  readonly byte_length: number
  readonly sha256: string
}

async function storeBytes(
  ctx: Ports,
  source: SourceRow,
  bytes: NewFileSource['bytes'],
): Promise<Stored> {
  const limit = ctx.config.maxFileSourceBytes
  const hash = createHash('sha256')
  let length = 0
  let ordinal = 0
  for await (const piece of inPieces(bytes)) {
    length += piece.length
    if (length > limit)
      throw new Fault(ingestionFaults.source_too_large, { bytes: length, limit_bytes: limit })
    hash.update(piece)
    const number = ordinal++
    await ctx.db.write(async (tx) => {
      const row = await updateSource(tx, source.id, { updated_at: ctx.clock.now() })
      if (row === undefined) throw new Fault(commonFaults.record_not_found)
      await insertPiece(tx, source.id, number, piece)
    })
  }
  if (length === 0) throw new Fault(ingestionFaults.source_empty)
  return { byte_length: length, sha256: hash.digest('hex') }
}

/** A step: enqueues the job that reads the file, unless the agent already has this very file. */
async function handOver(ctx: Ports, tx: Tx, source: SourceRow, stored: Stored): Promise<SourceRow> {
  const twin = await findTwin(tx, { ...source, ...stored })
  if (twin !== undefined) {
    await deleteSourceRow(tx, source.id)
    return twin
  }
  const change = { ...stored, status: 'queued', stage: null, updated_at: ctx.clock.now() }
  const row = await updateSource(tx, source.id, change)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  await enqueueIngestion(ctx, tx, row)
  return row
}

/** Pieces of one size, whatever size they come in. */
async function* inPieces(bytes: NewFileSource['bytes']): AsyncGenerator<Uint8Array> {
  let open: Uint8Array[] = []
  let size = 0
  for await (const given of bytes)
    for (let at = 0; at < given.length; at += pieceBytes) {
      const part = given.subarray(at, at + pieceBytes)
      open.push(part)
      size += part.length
      if (size < pieceBytes) continue
      yield Buffer.concat(open)
      open = []
      size = 0
    }
  if (size > 0) yield Buffer.concat(open)
}
