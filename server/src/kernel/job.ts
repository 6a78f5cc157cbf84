import type { z } from 'zod'

/** What a job knows about its current run. */
export interface JobRun {
  readonly id: string
  /** From 1. */
  readonly attempt: number
  /** True when a failure of this attempt is final. */
  readonly isLast: boolean
  /** Aborted when the service stops or the lease is lost. */
  readonly signal: AbortSignal
}

/** Nothing when the job is done; otherwise the time of its next run in epoch milliseconds. */
export type JobResult = void | { readonly runAgainAt: number }

/** A concurrency limit that several kinds share in one process. */
export interface SharedLimit {
  /** Concurrent jobs of all these kinds together. */
  readonly max: number
}

/** Work that survives its process: a row in `jobs`, run at least once. */
export interface Job<Input = unknown, Context = unknown> {
  /** `<feature>.<what it does>`; stored in the database. */
  readonly kind: string
  readonly input: z.ZodType<Input>
  /** Attempts before it fails for good; `Infinity` for a job that must succeed eventually. */
  readonly maxAttempts: number
  /** Set for recurring work: the pause between two runs, in milliseconds, unless a run names the next. */
  readonly everyMs: number | null
  /** Concurrent jobs of this kind in one process, so that long jobs do not block short ones. */
  readonly maxAtOnce: number
  /**
   * A limit shared with other kinds, if the sum of their `maxAtOnce` is too high; otherwise null.
   */
  readonly sharedLimit: SharedLimit | null
  /** True for jobs that run even after their workspace was deleted. */
  readonly outlivesWorkspace: boolean
  /** How long to wait after the failure of this attempt, in milliseconds. */
  backoffMs(attempt: number): number
  run(context: Context, input: Input, run: JobRun): Promise<JobResult>
}

const defaults = {
  maxAttempts: 10,
  everyMs: null,
  maxAtOnce: Number.POSITIVE_INFINITY,
  sharedLimit: null,
  outlivesWorkspace: false,
  backoffMs: doublingBackoff,
}
type Defaulted = keyof typeof defaults
type Definition<Input, Context> = Omit<Job<Input, Context>, Defaulted> &
  Partial<Pick<Job<Input, Context>, Defaulted>>

/** Completes a definition: ten attempts with doubling pauses between them. */
export function defineJob<Input, Context>(
  definition: Definition<Input, Context>,
): Job<Input, Context> {
  return { ...defaults, ...definition }
}

/** One second, then twice as long each time, at most an hour. */
function doublingBackoff(attempt: number): number {
  return Math.min(1_000 * 2 ** Math.min(attempt - 1, 30), 60 * 60 * 1000)
}
