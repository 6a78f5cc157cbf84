import { defineFaults } from '#kernel/fault.ts'

export const workerFaults = defineFaults({
  /** It grew over its limit and was ended. */
  worker_out_of_memory: 'too_large',
  /** It was silent, or at work, for longer than allowed and was ended. */
  worker_out_of_time: 'too_large',
  /** It failed in a way that its task did not foresee. */
  worker_crashed: 'internal',
})

export interface WorkerLimits {
  readonly heapMegabytes: number
  /** Of the whole process: what is outside the heap, too. */
  readonly residentMegabytes: number
  /** Until the next answer, while somebody waits for it. */
  readonly silenceMs: number
  /** Of all that waiting, for one task. */
  readonly totalMs: number
}

/** A process of its own for work on bytes that nobody vouches for. */
export interface BoundedWorker {
  /**
   * Runs one task; a worker runs one at a time. The bytes are sent as the worker takes them, and it
   * goes on only as its answers are taken. Ending the iteration early ends the process.
   *
   * @throws Fault as the task does, and those of workerFaults; the signal's reason
   */
  run(
    task: unknown,
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncIterable<unknown>
  close(): void
}

export interface BoundedWorkers {
  /**
   * A worker whose process starts with its first task, and anew after one that was ended.
   *
   * @param module exports `runTask`, see TaskRunner
   */
  open(module: URL, limits: WorkerLimits): BoundedWorker
}

/** What a worker's module exports as `runTask`: answers are anything that JSON can hold. */
export type TaskRunner = (
  task: unknown,
  bytes: AsyncIterable<Uint8Array>,
) => AsyncIterable<unknown> | Iterable<unknown>

/** A line of a worker's output. */
export type WorkerLine =
  | { readonly answer: unknown }
  | { readonly end: true }
  | { readonly fault: { code: string; kind: string; facts: Record<string, unknown> } }
  | { readonly crash: string }
