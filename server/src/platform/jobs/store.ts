import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type JobRow = Selectable<Schema['jobs']>

/** Adds a job, or, when a live one has its key, brings that one forward or has it run again. */
export async function insertJob(tx: Tx, row: JobRow): Promise<void> {
  const insert = tx.insertInto('jobs').values(row)
  if (row.key === null) {
    await insert.execute()
    return
  }
  await insert
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'key'])
        .where('finished_at', 'is', null)
        .doUpdateSet({
          run_at: sql<number>`case
            when jobs.status = 'queued' and excluded.run_at < jobs.run_at then excluded.run_at
            else jobs.run_at end`,
          // Keep the earlier time: a recurring job's next run must not postpone one that was asked
          // for.
          rerun_at: sql<number | null>`case
            when jobs.status <> 'running' then null
            when jobs.rerun_at < excluded.run_at then jobs.rerun_at
            else excluded.run_at end`,
        }),
    )
    .execute()
}

export async function deleteQueued(tx: Tx, kind: string, key: string): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('status', '=', 'queued')
    .execute()
}

/** Kinds of jobs, and which of them run although their workspace was deleted. */
export interface Kinds {
  readonly kinds: readonly string[]
  readonly outliving: readonly string[]
}

/** Jobs of a deleted workspace are skipped until it is restored, or purged together with them. */
function liveJobs(reader: Reader, { kinds, outliving }: Kinds) {
  return reader
    .selectFrom('jobs')
    .where('finished_at', 'is', null)
    .where('kind', 'in', kinds)
    .where((e) => {
      const deleted = e
        .selectFrom('workspaces')
        .select('workspaces.id')
        .whereRef('workspaces.id', '=', 'jobs.workspace_id')
        .where('workspaces.deleted_at', 'is not', null)
      const isLive = e.not(e.exists(deleted))
      return outliving.length === 0 ? isLive : e.or([e('kind', 'in', outliving), isLive])
    })
}

/** When the next job of these kinds is due; undefined when none is waiting. */
export async function nextDue(reader: Reader, kinds: Kinds): Promise<number | undefined> {
  const row = await liveJobs(reader, kinds)
    .select('run_at')
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst()
  return row?.run_at
}

interface Claim extends Kinds {
  readonly limit: number
  readonly now: number
  readonly leaseUntil: number
  readonly leaseToken: string
}

/** Takes due jobs under a lease. On PostgreSQL rows that another worker is taking are passed over. */
export async function claimDue(tx: Tx, engine: Engine, claim: Claim): Promise<JobRow[]> {
  let due = liveJobs(tx, claim)
    .select('id')
    .where('run_at', '<=', claim.now)
    .orderBy('run_at')
    .limit(claim.limit)
  if (engine === 'postgres') due = due.forUpdate().skipLocked()
  const ids = (await due.execute()).map(({ id }) => id)
  if (ids.length === 0) return []
  return await tx
    .updateTable('jobs')
    .set((e) => ({
      status: 'running',
      attempts: e('attempts', '+', 1),
      run_at: claim.leaseUntil,
      lease_token: claim.leaseToken,
      updated_at: claim.now,
    }))
    .where('id', 'in', ids)
    .returningAll()
    .execute()
}

/** True where a job's workspace was deleted while it ran. */
export async function isOfDeletedWorkspace(reader: Reader, id: string): Promise<boolean> {
  const row = await reader
    .selectFrom('jobs')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .select('jobs.id')
    .where('jobs.id', '=', id)
    .where('workspaces.deleted_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** @returns false when the lease was lost to another worker */
export async function renewLease(
  tx: Tx,
  id: string,
  leaseToken: string,
  leaseUntil: number,
): Promise<boolean> {
  const row = await tx
    .updateTable('jobs')
    .set({ run_at: leaseUntil })
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

interface Ended {
  readonly id: string
  readonly leaseToken: string
  readonly now: number
}

/** Ends a run: `done` or `failed` for good, unless it was asked for again meanwhile. */
export async function finishJob(
  tx: Tx,
  { id, leaseToken, now }: Ended,
  status: 'done' | 'failed',
  lastError: string | null,
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      status: sql<JobRow['status']>`case when rerun_at is null then ${status} else 'queued' end`,
      finished_at: sql<number | null>`case when rerun_at is null then cast(${now} as bigint) end`,
      run_at: sql<number>`coalesce(rerun_at, run_at)`,
      attempts: sql<number>`case when rerun_at is null then attempts else 0 end`,
      rerun_at: null,
      lease_token: null,
      last_error: lastError,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .execute()
}

/** Puts a job back to run later, after a failure or because it asked for it. */
export async function requeueJob(
  tx: Tx,
  { id, leaseToken, now }: Ended,
  change: {
    readonly runAt: number
    readonly lastError: string | null
    readonly resetAttempts: boolean
  },
): Promise<void> {
  const attempts = change.resetAttempts ? { attempts: 0 } : {}
  await tx
    .updateTable('jobs')
    .set({
      status: 'queued',
      run_at: sql<number>`case
        when rerun_at < cast(${change.runAt} as bigint) then rerun_at
        else cast(${change.runAt} as bigint) end`,
      rerun_at: null,
      lease_token: null,
      last_error: change.lastError,
      updated_at: now,
      ...attempts,
    })
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .execute()
}

export async function deleteFinished(
  tx: Tx,
  before: { readonly done: number; readonly failed: number },
): Promise<void> {
  for (const status of ['done', 'failed'] as const)
    await tx
      .deleteFrom('jobs')
      .where('status', '=', status)
      .where('finished_at', '<', before[status])
      .execute()
}
