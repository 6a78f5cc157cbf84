import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

/** Answers with the id of the worker's process. */
export const runTask: TaskRunner = function* () {
  yield process.pid
}
