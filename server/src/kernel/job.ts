import type { z } from 'zod'

/** What a job learns of the run it is in. */
export interface JobRun {
  readonly id: string
  /** From 1. */
  readonly attempt: number
  /** True when no further attempt follows a failure of this one. */
  readonly isLast: boolean
  /** Aborted when the service stops or the lease is lost. */
  readonly signal: AbortSignal
}

/** Nothing when the job is done; else when it wants to run again, in epoch milliseconds. */
export type JobResult = void | { readonly runAgainAt: number }

/** A concurrency limit that several kinds share in one process. */
export interface SharedLimit {
  /** Jobs running at a time, all these kinds together. */
  readonly max: number
}

/** Work that survives its process: a row in `jobs`, run at least once. */
export interface Job<Input = unknown, Context = unknown> {
  /** `<feature>.<what it does>`; stands in the database. */
  readonly kind: string
  readonly input: z.ZodType<Input>
  /** Attempts before it fails for good; `Infinity` for a job that must succeed eventually. */
  readonly maxAttempts: number
  /** Set for work that recurs: the pause between two runs, in milliseconds. */
  readonly everyMs: number | null
  /**
   * Jobs of this kind that one process runs at a time, so that long ones leave room for short ones.
   */
  readonly maxAtOnce: number
  /**
   * A limit shared with other kinds, where the sum of their `maxAtOnce` would be too many; else
   * null.
   */
  readonly sharedLimit: SharedLimit | null
  /**
   * True for jobs that run even after their workspace was deleted, such as settling a charge in
   * doubt.
   */
  readonly outlivesWorkspace: boolean
  /** How long to wait after the failure of this attempt, in milliseconds. */
  backoffMs(attempt: number): number
  run(context: Context, input: Input, run: JobRun): Promise<JobResult>
}

type Defaulted =
  | 'maxAttempts'
  | 'everyMs'
  | 'maxAtOnce'
  | 'sharedLimit'
  | 'outlivesWorkspace'
  | 'backoffMs'
type Definition<Input, Context> = Omit<Job<Input, Context>, Defaulted> &
  Partial<Pick<Job<Input, Context>, Defaulted>>

/** Completes a definition: ten attempts, the pauses between them doubling. */
export function defineJob<Input, Context>(
  definition: Definition<Input, Context>,
): Job<Input, Context> {
  return {
    maxAttempts: 10,
    everyMs: null,
    maxAtOnce: Number.POSITIVE_INFINITY,
    sharedLimit: null,
    outlivesWorkspace: false,
    backoffMs: doublingBackoff,
    ...definition,
  }
}

const minMs = 1_000
const maxMs = 60 * 60 * 1000

/** One second, then twice as long each time, at most an hour. */
function doublingBackoff(attempt: number): number {
  return Math.min(minMs * 2 ** Math.min(attempt - 1, 30), maxMs)
}
