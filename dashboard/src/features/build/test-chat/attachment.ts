import type { ChatAttachment } from '#api/stream-chat.ts'

/** A file that is attached to a message of the test chat. */
export interface Attachment extends ChatAttachment {
  readonly id: number
  /** Of the file, in bytes. */
  readonly size: number
}

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Reads a file for a request. @returns null if the browser can no longer read it */
export async function readAttachment(id: number, file: File): Promise<Attachment | null> {
  const url = await dataUrlOf(file)
  if (url === null) return null
  const type = imageTypes.includes(file.type) ? 'image' : 'file'
  const name = file.name === '' ? type : file.name.slice(0, 200)
  return { id, type, name, url, size: file.size }
}

/** Why a file cannot be attached. */
export type AttachmentProblem = 'tooMany' | 'tooLarge' | 'tooLargeTogether' | 'unreadable'

interface AttachmentLimits {
  readonly chat_files: number
  readonly chat_file_bytes: number
  readonly body_bytes: number
}

/** Base64 takes four bytes for three; the rest of the request is small. */
const bytesPerByte = 4 / 3
const restBytes = 200_000

/** Checks a further file against the limits of the service, which checks them again. */
export function problemOfFile(
  file: Pick<File, 'size' | 'type'>,
  before: readonly Pick<Attachment, 'size' | 'type'>[],
  limits: AttachmentLimits,
): AttachmentProblem | null {
  const isImage = imageTypes.includes(file.type)
  const files = before.filter(({ type }) => type === 'file').length
  if (!isImage && files >= limits.chat_files) return 'tooMany'
  if (!isImage && file.size > limits.chat_file_bytes) return 'tooLarge'
  const total = before.reduce((sum, { size }) => sum + size, file.size)
  return total > roomFor(limits) ? 'tooLargeTogether' : null
}

/** How many bytes the files of a request can have together. */
export function roomFor({ body_bytes: bytes }: Pick<AttachmentLimits, 'body_bytes'>): number {
  return Math.max(0, Math.floor((bytes - restBytes) / bytesPerByte))
}

function dataUrlOf(file: File): Promise<string | null> {
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => resolve(null))
    reader.readAsDataURL(file)
  })
}
