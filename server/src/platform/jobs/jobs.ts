import type { Job } from '#kernel/job.ts'
import type { Tx } from '#platform/db/database.ts'

/** Work that is committed together with the change that needs it, and run afterwards. */
export interface Jobs {
  /** Joins the caller's unit, so a job exists exactly when its change was committed. */
  enqueue<Input>(
    tx: Tx,
    job: Pick<Job<Input>, 'kind' | 'input'>,
    input: Input,
    options?: EnqueueOptions,
  ): Promise<void>
  /** Deletes the live job with this key if it has not started. */
  withdraw(tx: Tx, job: Pick<Job, 'kind'>, key: string): Promise<void>
}

export interface EnqueueOptions {
  /** Epoch milliseconds; now by default. */
  readonly runAt?: number
  /**
   * At most one live job of a kind has a given key. Enqueuing the key again moves a waiting job to
   * the earlier time, and runs a running one again afterwards.
   */
  readonly key?: string
  readonly workspaceId?: string
}
