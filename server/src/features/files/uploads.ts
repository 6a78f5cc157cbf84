import { requireRecordRoom } from '#features/quotas/index.ts'
import { inPieces, pieceBytes } from '#kernel/byte-pieces.ts'
import { dayMs, hourMs } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { storableText } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import { fileFaults as faults } from './file-faults.ts'
import {
  deleteSomePieces,
  findUploadRow,
  insertUpload,
  insertUploadPiece,
  listOwned,
  listUploadRows,
  readUploadPieces,
  updateUpload,
  type UploadPlace,
  type UploadRow,
  type UploadsRequest,
} from './upload-store.ts'

export type UploadContext = Pick<Context, 'db' | 'clock' | 'config'>

/** A file that a caller uploaded and can name by its id. */
export interface UploadedFile {
  readonly id: string
  readonly filename: string
  readonly purpose: string
  readonly byteLength: number
  readonly createdAt: number
  readonly expiresAt: number
}

interface NewUpload {
  readonly filename: string
  readonly mediaType: string | null
  /** The most that it can have, if that is known: as many bytes count while it arrives. */
  readonly mostBytes: number | null
  readonly bytes: AsyncIterable<Uint8Array>
}

/** An upload that does not end in this time is deleted. */
const arrivalMs = hourMs

/** Few enough that other writers of SQLite wait only some milliseconds. */
const piecesPerUnit = 16

/**
 * Stores the bytes of a file as they arrive, in small units. Nobody finds it before `finishUpload`.
 *
 * @returns its id
 * @throws Fault limit_reached, file_too_large, upload_empty, file_unknown when its agent is deleted meanwhile
 */
export async function storeUpload(
  ctx: UploadContext,
  { workspaceId, agentId }: UploadPlace,
  { filename, mediaType, mostBytes, bytes }: NewUpload,
): Promise<string> {
  const limitBytes = ctx.config.maxChatFileBytes
  const now = ctx.clock.now()
  const id = newId(now)
  const row = {
    id,
    workspace_id: workspaceId,
    agent_id: agentId,
    filename: storableText(filename),
    media_type: mediaType,
    purpose: null,
    byte_length: Math.min(mostBytes ?? limitBytes, limitBytes),
    created_at: now,
    expires_at: now + arrivalMs,
    renews: 0,
    owner: 'unused' as const,
    end_user: null,
  }
  await ctx.db.write(async (tx) => {
    await insertUpload(tx, row)
    await requireRecordRoom(tx, ctx, 'files_per_agent', agentId, 0)
    await requireRecordRoom(tx, ctx, 'storage_bytes_per_workspace', workspaceId, 0)
  })
  try {
    await storePieces(ctx, id, bytes)
  } catch (error) {
    await eraseUpload(ctx, id)
    throw error
  }
  return id
}

async function storePieces(
  ctx: UploadContext,
  id: string,
  bytes: NewUpload['bytes'],
): Promise<void> {
  const limitBytes = ctx.config.maxChatFileBytes
  let length = 0
  let ordinal = 0
  for await (const piece of inPieces(bytes, pieceBytes)) {
    length += piece.length
    if (length > limitBytes) throw new Fault(faults.file_too_large, { at: 'file', limitBytes })
    const number = ordinal++
    const isStored = await ctx.db.write((tx) => insertUploadPiece(tx, id, number, piece))
    if (!isStored) throw new Fault(faults.file_unknown)
  }
  if (length === 0) throw new Fault(faults.upload_empty)
  await ctx.db.write((tx) => updateUpload(tx, id, { byte_length: length }))
}

interface UploadTerms {
  readonly purpose: string
  /** How long it is kept; null: for UPLOADED_FILE_DAYS, and again after each use. */
  readonly lifetimeMs: number | null
  /** The end user that it belongs to; null: those for whom it is used. */
  readonly endUser: string | null
}

/**
 * Shows a stored file to its callers.
 *
 * @throws Fault file_unknown when its agent is deleted meanwhile
 */
export async function finishUpload(
  ctx: UploadContext,
  id: string,
  { purpose, lifetimeMs, endUser }: UploadTerms,
): Promise<UploadedFile> {
  const most = ctx.config.uploadedFileDays * dayMs
  const row = await ctx.db.write((tx) =>
    updateUpload(tx, id, {
      purpose,
      expires_at: ctx.clock.now() + Math.min(lifetimeMs ?? most, most),
      renews: lifetimeMs === null ? 1 : 0,
      ...(endUser === null ? {} : { owner: 'named', end_user: endUser }),
    }),
  )
  if (row === undefined) throw new Fault(faults.file_unknown)
  return toFile(row)
}

/** Deletes the bytes and the row of a file in small units. If that is interrupted, a job goes on. */
export async function eraseUpload({ db }: Pick<Context, 'db'>, id: string): Promise<void> {
  for (let isGone = false; !isGone;)
    isGone = await db.write((tx) => deleteSomePieces(tx, id, piecesPerUnit))
}

/** Nobody finds the file from the first commit on. @throws Fault file_unknown */
export async function deleteUpload(
  ctx: UploadContext,
  place: UploadPlace,
  id: string,
): Promise<void> {
  await ctx.db.write(async (tx) => {
    const row = await findUploadRow(tx, place, id, ctx.clock.now())
    if (row === undefined) throw new Fault(faults.file_unknown)
    await updateUpload(tx, id, { expires_at: 0 })
  })
  await eraseUpload(ctx, id)
}

const ownedAtOnce = 100

/**
 * Deletes the files of an end user: those whose upload names the person, and those that were used for nobody
 * else.
 *
 * @returns how many
 */
export async function eraseUploadsOf(
  { db }: Pick<Context, 'db'>,
  place: UploadPlace,
  endUser: string,
): Promise<number> {
  let count = 0
  for (let last = ownedAtOnce; last === ownedAtOnce;) {
    const ids = await listOwned(db.read, place, endUser, ownedAtOnce)
    // Nobody finds them from this commit on. If the rest is interrupted, a job goes on.
    await db.write(async (tx) => {
      for (const id of ids) await updateUpload(tx, id, { expires_at: 0 })
    })
    for (const id of ids) await eraseUpload({ db }, id)
    last = ids.length
    count += last
  }
  return count
}

/** @throws Fault file_unknown */
export async function findUpload(
  { db, clock }: UploadContext,
  place: UploadPlace,
  id: string,
): Promise<UploadedFile> {
  const row = await findUploadRow(db.read, place, id, clock.now())
  if (row === undefined) throw new Fault(faults.file_unknown)
  return toFile(row)
}

/** The most files in one page. */
const mostListed = 1_000

export async function listUploads(
  { db, clock }: UploadContext,
  place: UploadPlace,
  request: UploadsRequest,
): Promise<{ readonly files: readonly UploadedFile[]; readonly hasMore: boolean }> {
  const limit = Math.min(request.limit, mostListed)
  const wanted = { ...request, limit: limit + 1 }
  const rows = await listUploadRows(db.read, place, wanted, clock.now())
  return { files: rows.slice(0, limit).map(toFile), hasMore: rows.length > limit }
}

/** The bytes of a file, which are read while they are sent. @throws Fault file_unknown */
export async function openUpload(ctx: UploadContext, place: UploadPlace, id: string) {
  const file = await findUpload(ctx, place, id)
  return { ...file, bytes: readUploadPieces(ctx.db.read, id) }
}

function toFile({ id, filename, purpose, ...row }: UploadRow): UploadedFile {
  return {
    id,
    filename,
    // A row without one is not found.
    purpose: purpose ?? '',
    byteLength: row.byte_length,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
