import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { BoundedWorker } from '#platform/bounded-workers/bounded-workers.ts'
import type { Context } from '#platform/context.ts'
import { fetchImage } from './fetch-file.ts'
import { fileFaults as faults } from './file-faults.ts'
import {
  lengthOfChunk,
  type FilePart,
  type ImageContent,
  type WantedFile,
  type WithFiles,
} from './file-part.ts'
import { loadFile, readFile, unreadable, type LoadContext } from './read-file.ts'
import { loadImage, type FileUse } from './use-upload.ts'

const workerModule = new URL('./file-worker.ts', import.meta.url)

/** Short, because a caller waits for the answer. */
const workerLimits = {
  heapMegabytes: 256,
  residentMegabytes: 512,
  silenceMs: 20_000,
  totalMs: 60_000,
}

type FileContext = LoadContext & Pick<Context, 'workers' | 'importSlots'>

/**
 * Reads the files of the messages, in a bounded worker.
 *
 * @returns the messages with the text of their files, and with the images that they name by an id or an address
 * @throws Fault of fileFaults; the signal's reason
 */
export async function attachFiles<Message extends WithFiles>(
  ctx: FileContext,
  place: FileUse,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const wanted = wantedIn(messages)
  const most = ctx.config.maxChatFiles
  if (wanted.length > most) throw new Fault(faults.files_too_many, { most })
  const read = await readAll(ctx, place, wanted, signal)
  return messages.map((message) =>
    message.parts === undefined
      ? message
      : { ...message, parts: message.parts.map((part) => read.get(part) ?? part) },
  )
}

async function readAll(
  ctx: FileContext,
  place: FileUse,
  wanted: readonly WantedFile[],
  caller: AbortSignal,
): Promise<ReadonlyMap<object, FilePart | ImageContent>> {
  const { chatFilesTimeoutMs } = ctx.config
  const deadline = AbortSignal.timeout(chatFilesTimeoutMs)
  const signal = AbortSignal.any([caller, deadline])
  const read = new Map<object, FilePart | ImageContent>()
  const left: Left = { text: ctx.config.maxChatFilesTotalText, images: ctx.config.maxBodyBytes }
  let reading: Reading | null = null
  try {
    for (const file of wanted) {
      try {
        // A download may be slow: others use the slot meanwhile. Stored bytes are loaded within it.
        if ('url' in file.from) {
          reading?.end()
          reading = null
        }
        if (file.isImage) {
          read.set(file, await imageOf(ctx, place, file, { left, signal }))
          continue
        }
        if (!('url' in file.from)) reading ??= await beginReading(ctx, place.workspaceId, signal)
        const loaded = await loadFile(ctx, place, file, signal)
        reading ??= await beginReading(ctx, place.workspaceId, signal)
        const part = await readFile(ctx, reading.worker, loaded, left.text, signal)
        for (const chunk of part.chunks) left.text -= lengthOfChunk(chunk)
        read.set(file, part)
      } catch (error) {
        if (error !== deadline.reason) throw error
        throw unreadable(file.at, 'was not loaded and read in time')
      }
    }
  } finally {
    reading?.end()
  }
  return read
}

/** How much the files of a request may still have together. */
interface Left {
  /** See lengthOfChunk. */
  text: number
  /** Base64. */
  images: number
}

async function imageOf(
  ctx: FileContext,
  place: FileUse,
  { at, from }: WantedFile,
  { left, signal }: { readonly left: Left; readonly signal: AbortSignal },
): Promise<ImageContent> {
  if ('data' in from) throw new TypeError('an image within a request is no file')
  const image =
    'url' in from
      ? await fetchImage(ctx, at, from.url, { left: left.images, signal })
      : await loadImage(ctx, place, at, from.fileId, left.images)
  left.images -= image.url.length
  return image
}

/** @throws Fault file_misplaced */
function wantedIn(messages: readonly WithFiles[]): readonly WantedFile[] {
  return messages.flatMap(({ role, parts = [] }) =>
    parts.flatMap((part) => {
      if (part.type !== 'wanted_file') return []
      if (role !== 'user') throw new Fault(faults.file_misplaced, { at: part.at })
      return [part]
    }),
  )
}

/** A slot and the worker that runs in it. */
interface Reading {
  readonly worker: BoundedWorker
  readonly end: () => void
}

async function beginReading(
  { importSlots, workers }: FileContext,
  workspaceId: string,
  signal: AbortSignal,
): Promise<Reading> {
  try {
    const release = await importSlots.acquire(workspaceId, signal)
    const worker = workers.open(workerModule, workerLimits)
    const end = () => {
      worker.close()
      release()
    }
    return { worker, end }
  } catch (error) {
    if (!isNamed<Error>(error, 'SlotsBusy')) throw error
    throw new Fault(faults.files_busy, { retryAfterSeconds: 10 }, { cause: error })
  }
}
