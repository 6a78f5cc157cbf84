import { dayMs } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import { fileFaults as faults } from './file-faults.ts'
import type { ImageContent } from './file-part.ts'
import { base64Length, imageContent } from './image-content.ts'
import {
  findUploadRow,
  readUploadPieces,
  updateUse,
  type UploadPlace,
  type UploadRow,
} from './upload-store.ts'
import type { UploadContext } from './uploads.ts'

/** Where a file is used, and for whom; null if the request names nobody. */
export interface FileUse extends UploadPlace {
  readonly endUser: string | null
  /** Whether the messages are stored. If not, the use leaves no trace. */
  readonly store: boolean
}

/**
 * A file that a request names by its id. It is kept longer because it is used, unless the request is not
 * stored.
 *
 * @throws Fault file_id_unknown
 */
export async function loadUpload(
  ctx: UploadContext,
  place: FileUse,
  at: string,
  id: string,
): Promise<UploadRow & { readonly bytes: Uint8Array }> {
  const row = await findUse(ctx, place, at, id)
  return { ...row, bytes: await bytesOf(ctx, at, row) }
}

/**
 * An image that a request names by its id, as if it had been sent within the request.
 *
 * @param left how much base64 the images of the request may still have
 * @throws Fault file_id_unknown, image_unreadable, images_too_large
 */
export async function loadImage(
  ctx: UploadContext,
  place: FileUse,
  at: string,
  id: string,
  left: number,
): Promise<ImageContent> {
  const row = await findUse(ctx, place, at, id)
  if (base64Length(row.byte_length) > left)
    throw new Fault(faults.images_too_large, { at, limitBytes: ctx.config.maxBodyBytes })
  return imageContent(await bytesOf(ctx, at, row), at)
}

async function findUse(
  ctx: UploadContext,
  use: FileUse,
  at: string,
  id: string,
): Promise<UploadRow> {
  const now = ctx.clock.now()
  const row = await findUploadRow(ctx.db.read, use, id, now)
  if (row === undefined) throw new Fault(faults.file_id_unknown, { at })
  if (use.store && changeOf(ctx, row, use, now) !== null)
    await ctx.db.write(async (tx) => {
      // Others may have used it meanwhile.
      const current = await findUploadRow(tx, use, id, now)
      const change = current === undefined ? null : changeOf(ctx, current, use, now)
      if (change !== null) await updateUse(tx, id, change)
    })
  return row
}

/** What a use changes, seldom anything: how long the file is kept, and whose it is. */
function changeOf(
  { config }: UploadContext,
  { renews, expires_at: expiresAt, owner, end_user: known }: UploadRow,
  { endUser }: FileUse,
  now: number,
): Parameters<typeof updateUse>[2] | null {
  const lifetime = config.uploadedFileDays * dayMs
  // At most once in a thirtieth of its lifetime, so that a turn seldom writes it.
  const isDue = renews === 1 && expiresAt < now + lifetime - lifetime / 30
  const renewed = isDue ? { expires_at: now + lifetime } : {}
  const isFirst = owner === 'unused'
  const isOfOther = owner === 'one' && known !== endUser
  if (!isFirst && !isOfOther) return isDue ? renewed : null
  return isFirst && endUser !== null
    ? { ...renewed, owner: 'one', end_user: endUser }
    : { ...renewed, owner: 'several', end_user: null }
}

async function bytesOf(
  { db }: Pick<UploadContext, 'db'>,
  at: string,
  { id, byte_length }: UploadRow,
): Promise<Uint8Array> {
  const bytes = Buffer.concat(await Array.fromAsync(readUploadPieces(db.read, id)))
  // It was deleted meanwhile.
  if (bytes.length !== byte_length) throw new Fault(faults.file_id_unknown, { at })
  return bytes
}
