import { z } from 'zod'
import { defineJob, type JobRun } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { addToDay, findNextEntry, listUseByDay, moveReached, readReached } from './day-store.ts'

/** Younger entries are left to the next run: one may be committed after a later one. */
const settlingMs = 2 * 60_000
/** The entries of this much time are added in one unit. */
const sliceMs = 60 * 60_000

type CountContext = Pick<Context, 'db' | 'clock'>

/**
 * Adds the ledger's entries since the last run to the days of their workspaces. A unit moves the
 * watermark past what it adds, so each entry is counted once even if the process dies.
 */
export const countDays = defineJob({
  kind: 'billing.count_days',
  input: z.object({}),
  everyMs: 60_000,
  maxAtOnce: 1,
  run: (ctx: CountContext, _input: unknown, { signal }: Pick<JobRun, 'signal'>) =>
    countUntil(ctx, ctx.clock.now() - settlingMs, signal),
})

async function countUntil({ db }: CountContext, until: number, signal: AbortSignal): Promise<void> {
  let from = await readReached(db.read)
  while (!signal.aborted) {
    const startsAt = await findNextEntry(db.read, from)
    if (startsAt === null || startsAt >= until) return
    const endsAt = Math.min(until, startsAt + sliceMs)
    const days = await listUseByDay(db.scan, { startsAt, endsAt })
    const isMoved = await db.write(async (tx) => {
      if (!(await moveReached(tx, from, endsAt))) return false
      for (const day of days) await addToDay(tx, day)
      return true
    })
    if (!isMoved) return
    from = endsAt
  }
}
