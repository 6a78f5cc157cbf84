import type { Job } from '#kernel/job.ts'
import type { Tx } from '#platform/db/database.ts'

/** Work that is committed with the change that needs it, and done after. */
export interface Jobs {
  /** A step: joins the caller's unit, so there is no job without its change and none lost. */
  enqueue<Input>(
    tx: Tx,
    job: Pick<Job<Input>, 'kind' | 'input'>,
    input: Input,
    options?: EnqueueOptions,
  ): Promise<void>
  /** A step: takes back the live job with this key, when it has not begun. */
  withdraw(tx: Tx, job: Pick<Job, 'kind'>, key: string): Promise<void>
}

export interface EnqueueOptions {
  /** Epoch milliseconds; at once by default. */
  readonly runAt?: number
  /**
   * Of live jobs of a kind at most one has a given key. Enqueuing it again moves a waiting one to
   * the earlier time, and makes a running one run once more.
   */
  readonly key?: string
  readonly workspaceId?: string
}
