import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { BoundedWorker } from '#platform/bounded-workers/bounded-workers.ts'
import type { Context } from '#platform/context.ts'
import { fileFaults as faults } from './file-faults.ts'
import { lengthOfChunk, type FilePart, type WantedFile, type WithFiles } from './file-part.ts'
import { loadFile, readFile, unreadable } from './read-file.ts'

const workerModule = new URL('./file-worker.ts', import.meta.url)

/** Short, because a caller waits for the answer. */
const workerLimits = {
  heapMegabytes: 256,
  residentMegabytes: 512,
  silenceMs: 20_000,
  totalMs: 60_000,
}

type FileContext = Pick<Context, 'config' | 'outbound' | 'workers' | 'importSlots'>

/**
 * Reads the files of the messages, in a bounded worker.
 *
 * @returns the messages with the text of their files
 * @throws Fault of fileFaults; the signal's reason
 */
export async function attachFiles<Message extends WithFiles>(
  ctx: FileContext,
  workspaceId: string,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const wanted = wantedIn(messages)
  const most = ctx.config.maxChatFiles
  if (wanted.length > most) throw new Fault(faults.files_too_many, { most })
  const read = await readAll(ctx, workspaceId, wanted, signal)
  return messages.map((message) =>
    message.parts === undefined
      ? message
      : { ...message, parts: message.parts.map((part) => read.get(part) ?? part) },
  )
}

async function readAll(
  ctx: FileContext,
  workspaceId: string,
  wanted: readonly WantedFile[],
  caller: AbortSignal,
): Promise<ReadonlyMap<object, FilePart>> {
  const { chatFilesTimeoutMs, maxChatFilesTotalText } = ctx.config
  const deadline = AbortSignal.timeout(chatFilesTimeoutMs)
  const signal = AbortSignal.any([caller, deadline])
  const read = new Map<object, FilePart>()
  let left = maxChatFilesTotalText
  let reading: Reading | null = null
  try {
    for (const file of wanted) {
      try {
        // A download may be slow: others use the slot meanwhile.
        if ('url' in file.from) {
          reading?.end()
          reading = null
        }
        const loaded = await loadFile(ctx, file, signal)
        reading ??= await beginReading(ctx, workspaceId, signal)
        const part = await readFile(ctx, reading.worker, loaded, left, signal)
        for (const chunk of part.chunks) left -= lengthOfChunk(chunk)
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
