import { newId } from '#kernel/ids.ts'
import type { Clock } from '#platform/clock.ts'
import type { Jobs } from './jobs.ts'
import { deleteQueued, insertJob } from './store.ts'

/** The port, which also notifies a runner in the same process of enqueued jobs. */
export interface JobQueue extends Jobs {
  /** The listener is called before the job's unit commits; the job can run only after that. */
  onEnqueued(listener: (runAt: number) => void): void
}

export function createJobs(clock: Clock): JobQueue {
  const listeners: ((runAt: number) => void)[] = []
  return {
    async enqueue(tx, job, input, options = {}) {
      const now = clock.now()
      const runAt = options.runAt ?? now
      await insertJob(tx, {
        id: newId(now),
        kind: job.kind,
        key: options.key ?? null,
        workspace_id: options.workspaceId ?? null,
        input_json: JSON.stringify(job.input.parse(input)),
        status: 'queued',
        run_at: runAt,
        rerun_at: null,
        attempts: 0,
        lease_token: null,
        last_error: null,
        created_at: now,
        updated_at: now,
        finished_at: null,
      })
      for (const listener of listeners) listener(runAt)
    },
    withdraw: (tx, job, key) => deleteQueued(tx, job.kind, key),
    onEnqueued(listener) {
      listeners.push(listener)
    },
  }
}
