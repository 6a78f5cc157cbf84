import { Fault } from '#kernel/fault.ts'
import { fileFaults as faults } from './file-faults.ts'
import type { ImageContent, WantedFile } from './file-part.ts'
import { imageTypeOf } from './image-type.ts'
import {
  findUploadRow,
  readUploadPieces,
  renewUpload,
  type UploadPlace,
  type UploadRow,
} from './upload-store.ts'
import { dayMs, type UploadContext } from './uploads.ts'

/**
 * A file that a request names by its id. It is kept longer because it is used.
 *
 * @throws Fault file_id_unknown
 */
export async function loadUpload(
  ctx: UploadContext,
  place: UploadPlace,
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
  place: UploadPlace,
  { at, from }: WantedFile,
  left: number,
): Promise<ImageContent> {
  if (!('fileId' in from)) throw new TypeError('only uploaded images are loaded')
  const row = await findUse(ctx, place, at, from.fileId)
  if (base64Length(row.byte_length) > left)
    throw new Fault(faults.images_too_large, { at, limitBytes: ctx.config.maxBodyBytes })
  const bytes = await bytesOf(ctx, at, row)
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null) throw new Fault(faults.image_unreadable, { at })
  return { type: 'image', url: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}` }
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

async function findUse(
  ctx: UploadContext,
  place: UploadPlace,
  at: string,
  id: string,
): Promise<UploadRow> {
  const now = ctx.clock.now()
  const row = await findUploadRow(ctx.db.read, place, id, now)
  if (row === undefined) throw new Fault(faults.file_id_unknown, { at })
  const lifetime = ctx.config.uploadedFileDays * dayMs
  const expires_at = now + lifetime
  // At most once in a thirtieth of its lifetime, so that a turn seldom writes it.
  if (row.renews === 1 && row.expires_at < expires_at - lifetime / 30)
    await ctx.db.write((tx) => renewUpload(tx, id, expires_at))
  return row
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
