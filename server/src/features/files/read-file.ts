import {
  charsetOf,
  documentFaults,
  formatOf,
  knownExtensions,
} from '#features/file-readers/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import { storableText } from '#kernel/json.ts'
import type { BoundedWorker } from '#platform/bounded-workers/bounded-workers.ts'
import type { Context } from '#platform/context.ts'
import { fileFaults as faults } from './file-faults.ts'
import type { FileChunk, FilePart, WantedFile } from './file-part.ts'
import { fetchFile } from './fetch-file.ts'
import type { FileTask } from './file-worker.ts'
import { loadUpload, type FileUse } from './use-upload.ts'

/** A file before it is read. */
export interface LoadedFile {
  readonly at: WantedFile['at']
  readonly name: string
  readonly format: FileTask['format']
  readonly charset: string | null
  readonly bytes: Uint8Array
}

/**
 * Reads a loaded file in the worker.
 *
 * @param left how long the files of the request may still be together, see lengthOfChunk
 * @throws Fault file_unreadable
 */
export async function readFile(
  { config }: Pick<Context, 'config'>,
  worker: BoundedWorker,
  { at, name, format, charset, bytes }: LoadedFile,
  left: number,
  signal: AbortSignal,
): Promise<FilePart> {
  const maxLength = Math.min(config.maxChatFileText, left)
  const task: FileTask = { format, charset, maxLength }
  const chunks: FileChunk[] = []
  try {
    for await (const answer of worker.run(task, [bytes], signal))
      for (const chunk of answer as FileChunk[]) chunks.push(chunk) // what file-worker.ts yields
  } catch (error) {
    if (isFault(error, faults.file_too_long)) throw unreadable(at, tooLong(config, left))
    throw problemOf(error, at)
  }
  if (chunks.length === 0) throw unreadable(at, 'has no text')
  return { type: 'file', name: storableText(name), chunks }
}

function tooLong(
  { maxChatFileText, maxChatFilesTotalText }: Context['config'],
  left: number,
): string {
  return left < maxChatFileText
    ? `and the files before it have more than ${maxChatFilesTotalText} characters of text and headings`
    : `has more than ${maxChatFileText} characters of text and headings`
}

/**
 * Loads a file of a request.
 *
 * @throws Fault file_format_unknown, file_unreachable, file_too_large, file_id_unknown
 */
export async function loadFile(
  ctx: LoadContext,
  place: FileUse,
  file: WantedFile,
  signal: AbortSignal,
): Promise<LoadedFile> {
  const { at } = file
  const { name, mediaType, bytes } = await load(ctx, place, file, signal)
  const limitBytes = ctx.config.maxChatFileBytes
  if (bytes.length > limitBytes) throw new Fault(faults.file_too_large, { at, limitBytes })
  const format = formatOf({ filename: name, mediaType })
  if (format === null || format === 'sitemap')
    throw new Fault(faults.file_format_unknown, { at, known: knownExtensions })
  return { at, name, format, charset: charsetOf(mediaType), bytes }
}

export type LoadContext = Pick<Context, 'config' | 'outbound' | 'db' | 'clock'>

async function load(
  ctx: LoadContext,
  place: FileUse,
  { at, name, from }: WantedFile,
  signal: AbortSignal,
): Promise<{ name: string; mediaType: string | null; bytes: Uint8Array }> {
  if ('fileId' in from) {
    const { filename, media_type: mediaType, bytes } = await loadUpload(ctx, place, at, from.fileId)
    return { name: name ?? filename, mediaType, bytes }
  }
  if ('data' in from) {
    const bytes = Buffer.from(from.data, 'base64')
    return { name: name ?? 'file', mediaType: from.mediaType, bytes }
  }
  const { url, headers, body } = await fetchFile(ctx, at, from.url, signal)
  return { name: name ?? nameIn(url), mediaType: headers['content-type'] ?? null, bytes: body }
}

function nameIn(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  return last === '' ? 'file' : last
}

/** What the caller can do something about; anything else is an error of the service. */
function problemOf(error: unknown, at: string): unknown {
  if (!(error instanceof Fault)) return error
  if (isFault(error, documentFaults.document_locked)) return unreadable(at, 'needs a password')
  if (error.kind === 'too_large') return unreadable(at, 'takes too much memory or time to read')
  if (error.kind === 'invalid') return unreadable(at, 'is damaged or has another format')
  return error
}

export function unreadable(at: string, problem: string): Fault {
  return new Fault(faults.file_unreadable, { at, problem })
}
