import { formatOf, knownExtensions } from '#features/file-readers/index.ts'
import { fileFaults } from '#features/files/index.ts'
import { acceptedParts, type AcceptedParts, type MessagePart } from '#features/turns/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { OpenPage } from './open-page.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

/** What a visitor attaches to a message. */
export interface VisitorFile {
  readonly name: string
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

interface WithFiles {
  readonly text: string
  readonly files: readonly VisitorFile[]
}

/** What visitors can attach; null for nothing. */
export async function acceptedFiles(
  ctx: Pick<Context, 'db' | 'config' | 'vault' | 'models'>,
  { settings, workspaceId, agentId }: OpenPage,
): Promise<AcceptedParts | null> {
  if (!settings.visitor_files) return null
  const accepted = await acceptedParts(ctx, workspaceId, agentId)
  return accepted.images || accepted.files ? accepted : null
}

/**
 * A message with its files as the parts of a turn; null for a message without files.
 *
 * @throws Fault files_refused, file_count, file_bytes, image_unreadable, file_format_unknown
 */
export function partsOf(
  { visitorFiles, visitorFileBytes }: Pick<Context['config'], 'visitorFiles' | 'visitorFileBytes'>,
  { settings }: OpenPage,
  { text, files }: WithFiles,
): MessagePart[] | null {
  if (files.length === 0) return null
  if (!settings.visitor_files) throw new Fault(faults.files_refused)
  if (files.length > visitorFiles) throw new Fault(faults.file_count, { limit: visitorFiles })
  const bytes = files.reduce((sum, { data }) => sum + Math.floor((data.length * 3) / 4), 0)
  if (bytes > visitorFileBytes) throw new Fault(faults.file_bytes, { limit: visitorFileBytes })
  const parts: MessagePart[] = files.map((file, index) => partOf(file, `files[${index}]`))
  return text.trim() === '' ? parts : [...parts, { type: 'text', text }]
}

function partOf({ name, mediaType, data }: VisitorFile, at: string): MessagePart {
  if (!mediaType.startsWith('image/')) {
    const filename = plainName(name)
    if (formatOf({ filename, mediaType }) === null)
      throw new Fault(fileFaults.file_format_unknown, { at, known: knownExtensions })
    return { type: 'wanted_file', name: filename, at, from: { data, mediaType } }
  }
  const bytes = Buffer.from(data, 'base64')
  const type = imageTypeOf(bytes)
  if (type === null) throw new Fault(faults.image_unreadable)
  // Encoded again, so that nothing but base64 reaches the provider.
  return { type: 'image', url: `data:${type};base64,${bytes.toString('base64')}` }
}

/** The formats that models read, by their first bytes: an SVG, for example, is a document. */
function imageTypeOf(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, 12)
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(head)) return 'image/gif'
  return /^RIFF[^]{4}WEBP/.test(head) ? 'image/webp' : null
}

/** Without folders and control characters. */
export function plainName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  return last.replaceAll(/\p{C}/gu, '').trim() || 'file'
}

/** How many times the files of a visitor those of an address can be. */
const visitorsOfAddress = 3

/**
 * Counts the files of a message if `unit` accepts it, or has read them: a file that turns out to be damaged, or
 * whose text is refused, has cost as much as another one. They are counted first, all or none.
 *
 * @throws Fault visitor_files_limited; and what `unit` throws
 */
export async function countingFiles<T>(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  { agentId }: OpenPage,
  given: { readonly fileCount: number; readonly visitor: string; readonly address: string },
  unit: () => Promise<T>,
): Promise<T> {
  const most = config.visitorFileLimit
  if (most === null) return await unit()
  const counts = [
    [`visitor-files:${agentId}:${given.visitor}`, most],
    [`visitor-files-of-address:${given.address}`, most * visitorsOfAddress],
  ] as const
  const counted: (() => Promise<void>)[] = []
  try {
    for (let n = 0; n < given.fileCount; n += 1)
      for (const [key, limit] of counts) {
        const window = { limit, windowSeconds: 3600 }
        const { allowed, retryAfterSeconds } = await limits.consume(key, window)
        counted.push(() => limits.giveBack(key, window))
        if (!allowed) throw new Fault(faults.visitor_files_limited, { limit, retryAfterSeconds })
      }
    return await unit()
  } catch (error) {
    const isOfFile = error instanceof Fault && error.code in fileFaults
    const isRead = isOfFile || isFault(error, faults.message_refused)
    if (!isRead) for (const giveBack of counted) await giveBack()
    throw error
  }
}
