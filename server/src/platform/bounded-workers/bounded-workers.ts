import { defineFaults } from '#kernel/fault.ts'

export const workerFaults = defineFaults({
  /** It exceeded its memory limit and was ended. */
  worker_out_of_memory: 'too_large',
  /** It exceeded one of its time limits and was ended. */
  worker_out_of_time: 'too_large',
  /** It failed unexpectedly. */
  worker_crashed: 'internal',
})

export interface WorkerLimits {
  readonly heapMegabytes: number
  /** Of the whole process, including memory outside the heap. */
  readonly residentMegabytes: number
  /** The longest wait for the next answer. */
  readonly silenceMs: number
  /** The longest total wait for one task. */
  readonly totalMs: number
}

/**
 * A process of its own for work on untrusted bytes. Between two tasks it waits, without keeping this
 * process running, until it is closed.
 */
export interface BoundedWorker {
  /**
   * Runs one task; a worker runs one at a time. Bytes are sent as the worker reads them, and it continues
   * only as its answers are read. Ending the iteration early ends the process.
   *
   * @throws Fault of the task or of workerFaults; the signal's reason
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
   * A worker whose process starts with its first task, and again after one that was ended.
   *
   * @param module exports `runTask`, see TaskRunner
   */
  open(module: URL, limits: WorkerLimits): BoundedWorker
}

/** A worker's module exports it as `runTask`. Answers are JSON values. */
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
