import { newId } from '#kernel/ids.ts'
import type { Job } from '#kernel/job.ts'
import type { Clock } from '#platform/clock.ts'
import type { Tx } from '#platform/db/database.ts'
import type { EnqueueOptions, Jobs } from './jobs.ts'
import { deleteQueued, insertJob } from './store.ts'

/** The port, and a notice of enqueued jobs for a runner in the same process. */
export interface JobQueue extends Jobs {
  /** Called when a job is enqueued, before its unit commits: it can be run only after that. */
  onEnqueued(listener: (runAt: number) => void): void
}

export function createJobs(clock: Clock): JobQueue {
  const listeners: ((runAt: number) => void)[] = []
  return {
    async enqueue<Input>(
      tx: Tx,
      job: Pick<Job<Input>, 'kind' | 'input'>,
      input: Input,
      options: EnqueueOptions = {},
    ) {
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
