import { Fault } from '#kernel/fault.ts'
import { fileFaults as faults } from './file-faults.ts'
import type { ImageContent } from './file-part.ts'
import { imageTypeOf } from './image-type.ts'

/** The image as if it had been sent within the request. @throws Fault image_unreadable */
export function imageContent(bytes: Uint8Array, at: string): ImageContent {
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null) throw new Fault(faults.image_unreadable, { at })
  return { type: 'image', url: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}` }
}

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}
