import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import { fileFaults as faults } from './file-faults.ts'
import type { FilePart, WantedFile, WithFiles } from './file-part.ts'
import { readFile } from './read-file.ts'

const workerModule = new URL('./file-worker.ts', import.meta.url)

/** Short, because a caller waits for the answer. */
const workerLimits = {
  heapMegabytes: 256,
  residentMegabytes: 512,
  silenceMs: 20_000,
  totalMs: 60_000,
}

/**
 * Reads the files of the messages, in a bounded worker.
 *
 * @returns the messages with the text of their files
 * @throws Fault of fileFaults; the signal's reason
 */
export async function attachFiles<Message extends WithFiles>(
  ctx: Pick<Context, 'config' | 'outbound' | 'workers' | 'importSlots'>,
  workspaceId: string,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const wanted = wantedIn(messages)
  const most = ctx.config.maxChatFiles
  if (wanted.length > most) throw new Fault(faults.files_too_many, { most })
  const release = await takeSlot(ctx, workspaceId, signal)
  const worker = ctx.workers.open(workerModule, workerLimits)
  const read = new Map<object, FilePart>()
  try {
    for (const file of wanted) read.set(file, await readFile(ctx, worker, file, signal))
  } finally {
    worker.close()
    release()
  }
  return messages.map((message) =>
    message.parts === undefined
      ? message
      : { ...message, parts: message.parts.map((part) => read.get(part) ?? part) },
  )
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

async function takeSlot(
  { importSlots }: Pick<Context, 'importSlots'>,
  workspaceId: string,
  signal: AbortSignal,
): Promise<() => void> {
  try {
    return await importSlots.acquire(workspaceId, signal)
  } catch (error) {
    if (!isNamed<Error>(error, 'SlotsBusy')) throw error
    throw new Fault(faults.files_busy, { retryAfterSeconds: 10 }, { cause: error })
  }
}
