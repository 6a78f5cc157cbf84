import { knownExtensions } from '#features/file-readers/index.ts'
import { acceptedFiles, type OpenPage } from '#features/visitors/index.ts'
import type { Context } from '#platform/context.ts'

/** What the script of a page offers for attaching; null for nothing. */
export async function filesData(ctx: Context, page: OpenPage) {
  const accepted = await acceptedFiles(ctx, page)
  if (accepted === null) return null
  const { visitorFiles: most, visitorFileBytes: bytes } = ctx.config
  const documents = accepted.files ? knownExtensions : []
  return { images: accepted.images, documents, most, bytes }
}
