/**
 * The process of a bounded worker: `worker-main.ts <module URL> <resident megabytes>`. It reads frames
 * from standard input (a length in four bytes, then as many): the task as JSON, its bytes, an empty
 * frame; and answers in lines of JSON. It ends with its input.
 */
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { Fault } from '#kernel/fault.ts'
import type { TaskRunner, WorkerLine } from './bounded-workers.ts'

// Declared before the last line that waits: lines after it never run.
const over = { value: undefined, done: true } as const
/** Shows the parent the reason. */
const memoryExitCode = 79

const [moduleUrl = '', residentMegabytes = '0'] = process.argv.slice(2)

// Requests come first: this work uses the CPU time that they leave.
setPriority(10)
endWhenTooLarge(Number(residentMegabytes) * 1024 * 1024)
// The parent names the module, which exports a TaskRunner.
const { runTask } = (await import(moduleUrl)) as { runTask: TaskRunner }
await serve()

async function serve(): Promise<void> {
  const frames = readFrames(process.stdin)
  for (;;) {
    const { value: task, done } = await frames.next()
    if (done) return
    const bytes = bytesUntilEmpty(frames)
    await write(await answer(JSON.parse(task.toString()), bytes))
    // Skips the bytes that the task did not read, before the next task.
    for await (const _ of bytes);
  }
}

async function answer(task: unknown, bytes: AsyncIterable<Uint8Array>): Promise<WorkerLine> {
  try {
    for await (const value of runTask(task, bytes)) await write({ answer: value })
    return { end: true }
  } catch (error) {
    if (error instanceof Fault) {
      const { code, kind, facts } = error
      return { fault: { code, kind, facts } }
    }
    return { crash: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

async function write(line: WorkerLine): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain')
}

/**
 * The frames of one task. A failed task may have left a read pending, so each read waits for the one
 * before, and none takes a frame of the next task.
 */
function bytesUntilEmpty(frames: AsyncIterator<Buffer>): AsyncIterableIterator<Buffer> {
  let last: Promise<IteratorResult<Buffer>> | null = null
  const step = async (): Promise<IteratorResult<Buffer>> => {
    const { value, done } = await frames.next()
    return done === true || value.length === 0 ? over : { value, done: false }
  }
  const iterator: AsyncIterableIterator<Buffer> = {
    next() {
      last = last === null ? step() : last.then((before) => (before.done ? over : step()))
      return last
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}

async function* readFrames(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let have = 0
  let need = 4
  let isLength = true
  for await (const piece of input) {
    pieces.push(piece)
    have += piece.length
    while (have >= need) {
      const [only = piece, ...more] = pieces
      const all = more.length === 0 ? only : Buffer.concat(pieces)
      const part = all.subarray(0, need)
      pieces = [all.subarray(need)]
      have -= need
      if (isLength && part.readUInt32BE() > 0) {
        need = part.readUInt32BE()
        isLength = false
        continue
      }
      yield isLength ? Buffer.alloc(0) : part
      need = 4
      isLength = true
    }
  }
}

/** For systems on which the parent cannot measure this process. */
function endWhenTooLarge(bytes: number): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > bytes) process.exit(memoryExitCode)
  }, 100).unref()
}
