import type { WorkerLimits } from '#platform/bounded-workers/bounded-workers.ts'

const minute = 60_000

/** One page of a document takes seconds at most; a book of a thousand, a few minutes. */
export const workerLimits: WorkerLimits = {
  heapMegabytes: 256,
  residentMegabytes: 640,
  silenceMs: minute,
  totalMs: 20 * minute,
}
