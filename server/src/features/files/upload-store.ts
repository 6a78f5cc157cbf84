import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type UploadRow = Selectable<Schema['uploaded_files']>

/** The agent that a file belongs to. */
export interface UploadPlace {
  readonly workspaceId: string
  readonly agentId: string
}

export async function insertUpload(tx: Tx, row: UploadRow): Promise<void> {
  await tx.insertInto('uploaded_files').values(row).execute()
}

/** A step. @returns false when the file is gone, for example with its agent */
export async function insertUploadPiece(
  tx: Tx,
  fileId: string,
  ordinal: number,
  bytes: Uint8Array,
): Promise<boolean> {
  const row = await tx
    .selectFrom('uploaded_files')
    .select('id')
    .where('id', '=', fileId)
    .executeTakeFirst()
  if (row === undefined) return false
  await tx.insertInto('uploaded_file_pieces').values({ file_id: fileId, ordinal, bytes }).execute()
  return true
}

type Changed = 'purpose' | 'byte_length' | 'expires_at' | 'renews' | 'owner' | 'end_user'

/** A step. @returns undefined when the file is gone */
export function updateUpload(
  tx: Tx,
  id: string,
  change: Partial<Pick<UploadRow, Changed>>,
): Promise<UploadRow | undefined> {
  return tx
    .updateTable('uploaded_files')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** A step: a file that is being deleted stays so. */
export async function updateUse(
  tx: Tx,
  id: string,
  change: Partial<Pick<UploadRow, 'expires_at' | 'owner' | 'end_user'>>,
): Promise<void> {
  await tx
    .updateTable('uploaded_files')
    .set(change)
    .where('id', '=', id)
    .where('expires_at', '>', 0)
    .execute()
}

/** Files that belong to one end user of an agent. */
export async function listOwned(
  reader: Reader,
  { workspaceId, agentId }: UploadPlace,
  endUser: string,
  limit: number,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('uploaded_files')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('workspace_id', '=', workspaceId)
    .where('end_user', '=', endUser)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** The files of an agent that have arrived and not expired. */
function liveUploads(reader: Reader, { workspaceId, agentId }: UploadPlace, now: number) {
  return reader
    .selectFrom('uploaded_files')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('workspace_id', '=', workspaceId)
    .where('purpose', 'is not', null)
    .where('expires_at', '>', now)
}

export function findUploadRow(
  reader: Reader,
  place: UploadPlace,
  id: string,
  now: number,
): Promise<UploadRow | undefined> {
  return liveUploads(reader, place, now).where('id', '=', id).executeTakeFirst()
}

export interface UploadsRequest {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** The id of the file before the page. */
  readonly after: string | null
  readonly purpose: string | null
}

/** Their ids are in order of time. */
export function listUploadRows(
  reader: Reader,
  place: UploadPlace,
  { limit, order, after, purpose }: UploadsRequest,
  now: number,
): Promise<UploadRow[]> {
  let query = liveUploads(reader, place, now).orderBy('id', order).limit(limit)
  if (after !== null) query = query.where('id', order === 'asc' ? '>' : '<', after)
  if (purpose !== null) query = query.where('purpose', '=', purpose)
  return query.execute()
}

/** Ids of files that expired before a time, and of those that never arrived completely. */
export async function listExpired(reader: Reader, now: number, limit: number): Promise<string[]> {
  const rows = await reader
    .selectFrom('uploaded_files')
    .select('id')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function* readUploadPieces(
  reader: Reader,
  fileId: string,
): AsyncGenerator<Uint8Array> {
  for (let ordinal = 0; ; ordinal++) {
    const piece = await reader
      .selectFrom('uploaded_file_pieces')
      .select('bytes')
      .where('file_id', '=', fileId)
      .where('ordinal', '=', ordinal)
      .executeTakeFirst()
    if (piece === undefined) return
    yield piece.bytes
  }
}

/** A step: deletes some pieces of a file, and the file with its last one. @returns whether it is gone */
export async function deleteSomePieces(tx: Tx, fileId: string, count: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('uploaded_file_pieces')
    .where('file_id', '=', fileId)
    .where('ordinal', 'in', (pieces) =>
      pieces
        .selectFrom('uploaded_file_pieces')
        .select('ordinal')
        .where('file_id', '=', fileId)
        .orderBy('ordinal', 'desc')
        .limit(count),
    )
    .executeTakeFirst()
  if (numDeletedRows === BigInt(count)) return false
  await tx.deleteFrom('uploaded_files').where('id', '=', fileId).execute()
  return true
}
