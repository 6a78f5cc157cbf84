import type { Job, JobResult } from '#kernel/job.ts'
import { tallies } from '#kernel/tallies.ts'
import type { Context } from '#platform/context.ts'
import { finishJob, isOfDeletedWorkspace, renewLease, requeueJob, type JobRow } from './store.ts'

export const leaseMs = 60_000

export type JobContext = Pick<Context, 'db' | 'clock' | 'log'>

/** Runs one claimed job and commits its outcome. Never rejects: a failure is stored in the row. */
export async function runJob<Ctx extends JobContext>(
  ctx: Ctx,
  job: Job<unknown, Ctx>,
  row: JobRow,
  stopping: AbortSignal,
): Promise<void> {
  // A kind that serves all workspaces must not delay sign-ins.
  const tenant = row.workspace_id ?? `job:${job.kind}`
  await ctx.db.forTenant(tenant, () => runAsTenant(ctx, job, row, stopping))
}

async function runAsTenant<Ctx extends JobContext>(
  ctx: Ctx,
  job: Job<unknown, Ctx>,
  row: JobRow,
  stopping: AbortSignal,
): Promise<void> {
  const began = performance.now()
  const lost = new AbortController()
  const stopRenewing = keepLease(ctx, job, row, () => lost.abort())
  try {
    // An attempt counts even if its worker died, so a job that always kills its worker ends too.
    if (row.attempts > job.maxAttempts) throw new Error('its worker died on every attempt')
    const signal = AbortSignal.any([stopping, lost.signal])
    const isLast = row.attempts >= job.maxAttempts
    const input = job.input.parse(JSON.parse(row.input_json))
    const attempt = { id: row.id, attempt: row.attempts, isLast, signal }
    const caller = { signal: () => signal, isBackground: true }
    const result = await ctx.db.forCaller(caller, () => job.run(ctx, input, attempt))
    await settle(ctx, job, row, result)
    tallies.jobRuns.add(`${job.kind} ok`)
  } catch (error) {
    const store = isStop(error, stopping) ? interrupt : fail
    await store(ctx, job, row, error).catch((cause: unknown) =>
      // Nothing is lost: the lease expires and the job is due again.
      ctx.log.error(
        { err: cause, job: row.kind, id: row.id },
        'the failure of a job could not be stored',
      ),
    )
  } finally {
    tallies.jobTime.add(performance.now() - began, job.kind)
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
    const held = await db.write((tx) => renewLease(tx, row, until))
    const isOver = !job.outlivesWorkspace && (await isOfDeletedWorkspace(db.read, row.id))
    if (!held || isOver) onLost()
  }
  const timer = setInterval(() => {
    renew().catch((error: unknown) =>
      log.warn({ err: error, id: row.id }, 'the lease of a job could not be renewed'),
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
  const again = result?.runAgainAt ?? (job.everyMs === null ? undefined : now + job.everyMs)
  await db.write((tx) =>
    again === undefined
      ? finishJob(tx, row, { status: 'done', lastError: null, now })
      : requeueJob(tx, row, {
          runAt: again,
          lastError: null,
          ...(job.everyMs === null ? {} : { attempts: 0 }),
          now,
        }),
  )
}

/** Whether a job ended because the service stops: it passed on the signal's reason, or wrapped it. */
function isStop(error: unknown, stopping: AbortSignal): boolean {
  if (!stopping.aborted) return false
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause === stopping.reason || cause.name === 'AbortError') return true
  return false
}

/** The job runs again at once, in another process or after the next start. The attempt does not count. */
async function interrupt({ db, clock, log }: JobContext, _job: Job, row: JobRow): Promise<void> {
  log.debug({ job: row.kind, id: row.id }, 'a job was interrupted because the service stops')
  const now = clock.now()
  const { last_error: lastError, attempts } = row
  await db.write((tx) =>
    requeueJob(tx, row, { runAt: now, lastError, attempts: attempts - 1, now }),
  )
}

async function fail(
  { db, clock, log }: JobContext,
  job: Job,
  row: JobRow,
  error: unknown,
): Promise<void> {
  tallies.jobRuns.add(`${row.kind} failed`)
  const now = clock.now()
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 1000)
  const recurs = job.everyMs !== null
  const givesUp = row.attempts >= job.maxAttempts && !recurs
  const facts = { err: error, job: row.kind, id: row.id, attempt: row.attempts }
  if (givesUp) log.error(facts, 'a job failed permanently')
  else log.warn(facts, 'a job failed and will be retried')
  const pause = Math.min(job.backoffMs(row.attempts), job.everyMs ?? Number.POSITIVE_INFINITY)
  await db.write((tx) =>
    givesUp
      ? finishJob(tx, row, { status: 'failed', lastError: message, now })
      : requeueJob(tx, row, {
          runAt: now + pause,
          lastError: message,
          ...(recurs ? { attempts: countedFailures(job, row) } : {}),
          now,
        }),
  )
}

/** A recurring job waits longer after each failure, but is never at its last attempt. */
function countedFailures({ maxAttempts }: Job, { attempts }: JobRow): number {
  return Math.max(0, Math.min(attempts, maxAttempts - 2))
}
