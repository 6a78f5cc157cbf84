import type { Logger } from 'pino'
import type { Job, JobResult } from '#kernel/job.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/db/database.ts'
import { finishJob, isOfDeletedWorkspace, renewLease, requeueJob, type JobRow } from './store.ts'

export const leaseMs = 60_000

export interface JobContext {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
}

/** Runs one claimed job and commits its outcome. Never rejects: a failure is stored in the row. */
export async function runJob<Context extends JobContext>(
  ctx: Context,
  job: Job<unknown, Context>,
  row: JobRow,
  stopping: AbortSignal,
): Promise<void> {
  const lost = new AbortController()
  const stopRenewing = keepLease(ctx, job, row, () => lost.abort())
  try {
    // An attempt counts even if its worker died: a job that always kills its worker must end too.
    if (row.attempts > job.maxAttempts) throw new Error('its worker died on every attempt')
    const signal = AbortSignal.any([stopping, lost.signal])
    const isLast = row.attempts >= job.maxAttempts
    const input = job.input.parse(JSON.parse(row.input_json))
    const result = await job.run(ctx, input, {
      id: row.id,
      attempt: row.attempts,
      isLast,
      signal,
    })
    await settle(ctx, job, row, result)
  } catch (error) {
    await fail(ctx, job, row, error).catch((cause: unknown) =>
      // Nothing is lost: the lease runs out and the job is due again.
      ctx.log.error({ err: cause, job: row.kind, id: row.id }, 'a job could not be put back'),
    )
  } finally {
    stopRenewing()
  }
}

function keepLease(
  { db, clock, log }: JobContext,
  job: Pick<Job, 'outlivesWorkspace'>,
  row: JobRow,
  onLost: () => void,
): () => void {
  const renew = async () => {
    const until = clock.now() + leaseMs
    const held = await db.write((tx) => renewLease(tx, row.id, String(row.lease_token), until))
    const isOver = !job.outlivesWorkspace && (await isOfDeletedWorkspace(db.read, row.id))
    if (!held || isOver) onLost()
  }
  const timer = setInterval(() => {
    renew().catch((error: unknown) =>
      log.warn({ err: error, id: row.id }, 'a lease could not be renewed'),
    )
  }, leaseMs / 3)
  timer.unref()
  return () => clearInterval(timer)
}

async function settle(
  { db, clock }: JobContext,
  job: Job,
  row: JobRow,
  result: JobResult,
): Promise<void> {
  const now = clock.now()
  const ended = { id: row.id, leaseToken: String(row.lease_token), now }
  const again = job.everyMs === null ? result?.runAgainAt : now + job.everyMs
  await db.write((tx) =>
    again === undefined
      ? finishJob(tx, ended, 'done', null)
      : requeueJob(tx, ended, {
          runAt: again,
          lastError: null,
          resetAttempts: job.everyMs !== null,
        }),
  )
}

async function fail(
  { db, clock, log }: JobContext,
  job: Job,
  row: JobRow,
  error: unknown,
): Promise<void> {
  const now = clock.now()
  const ended = { id: row.id, leaseToken: String(row.lease_token), now }
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 1000)
  const recurs = job.everyMs !== null
  const givesUp = row.attempts >= job.maxAttempts && !recurs
  const facts = { err: error, job: row.kind, id: row.id, attempt: row.attempts }
  if (givesUp) log.error(facts, 'a job failed for good')
  else log.warn(facts, 'a job failed and will be tried again')
  const pause = recurs
    ? Math.min(job.backoffMs(row.attempts), job.everyMs)
    : job.backoffMs(row.attempts)
  await db.write((tx) =>
    givesUp
      ? finishJob(tx, ended, 'failed', message)
      : requeueJob(tx, ended, { runAt: now + pause, lastError: message, resetAttempts: recurs }),
  )
}
