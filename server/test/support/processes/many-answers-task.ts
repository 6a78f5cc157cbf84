import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

/** Answers with more than a pipe holds. */
export const runTask: TaskRunner = function* () {
  for (let n = 0; n < 1_000; n++) yield 'x'.repeat(1_000)
}
