import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type JobRow = Selectable<Schema['jobs']>

/** Adds a job. If a live one has its key, that one is brought forward or runs again instead. */
export async function insertJob(tx: Tx, row: JobRow): Promise<void> {
  await tx
    .insertInto('jobs')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'key'])
        .where('finished_at', 'is', null)
        .doUpdateSet({
          run_at: sql<number>`case
            when jobs.status = 'queued' and excluded.run_at < jobs.run_at then excluded.run_at
            else jobs.run_at end`,
          // Keeps the earlier time: a recurring job's next run must not postpone a requested one.
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

/** Kinds of jobs, and those of them that run even after their workspace was deleted. */
export interface Kinds {
  readonly kinds: readonly string[]
  readonly outliving: readonly string[]
}

/** Jobs of a deleted workspace are skipped until it is restored or purged, which deletes them. */
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
  /** Claims only jobs of workspaces that have no running job of these kinds. */
  readonly newcomersOnly: boolean
  readonly now: number
  readonly leaseUntil: number
  readonly leaseToken: string
}

/**
 * Claims due jobs with a lease, first those of the workspaces that have the fewest running jobs of these
 * kinds in all processes: a workspace with many due jobs gets no more than half while another waits.
 * On PostgreSQL it skips rows that another worker is claiming.
 */
export async function claimDue(tx: Tx, engine: Engine, claim: Claim): Promise<JobRow[]> {
  const fairest = tx
    .selectFrom(ranked(tx, claim).as('due'))
    .select('due.id')
    .orderBy('due.rank')
    .orderBy('due.run_at')
    .limit(claim.limit)
  let due = tx.selectFrom('jobs').select('id').where('finished_at', 'is', null)
  due = due.where('run_at', '<=', claim.now).where('id', 'in', fairest)
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

/**
 * Due jobs, each with its rank: how many jobs of its workspace run or come before it. Jobs without a
 * workspace belong to the service and come first.
 */
function ranked(tx: Tx, claim: Claim) {
  const running = tx
    .selectFrom('jobs')
    .select('workspace_id')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('finished_at', 'is', null)
    .where('status', '=', 'running')
    .where('run_at', '>', claim.now)
    .where('kind', 'in', claim.kinds)
    .where('workspace_id', 'is not', null)
    .groupBy('workspace_id')
  const due = liveJobs(tx, claim)
    .leftJoin(running.as('busy'), 'busy.workspace_id', 'jobs.workspace_id')
    .select(['jobs.id', 'jobs.run_at'])
    .select(
      sql<number>`case when jobs.workspace_id is null then 0 else coalesce(busy.count, 0)
        + row_number() over (partition by jobs.workspace_id order by jobs.run_at, jobs.id) end`.as(
        'rank',
      ),
    )
    .where('jobs.run_at', '<=', claim.now)
  return claim.newcomersOnly
    ? due.where('jobs.workspace_id', 'is not', null).where('busy.count', 'is', null)
    : due
}

/** True when the job's workspace was deleted. */
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

/** The job's row while this run holds its lease. */
function heldRow(tx: Tx, { id, lease_token }: JobRow) {
  return tx.updateTable('jobs').where('id', '=', id).where('lease_token', '=', lease_token)
}

/** @returns false when another worker has the lease */
export async function renewLease(tx: Tx, row: JobRow, leaseUntil: number): Promise<boolean> {
  const renewed = await heldRow(tx, row)
    .set({ run_at: leaseUntil })
    .returning('id')
    .executeTakeFirst()
  return renewed !== undefined
}

/** Ends a run as `done` or `failed`, unless the job was enqueued again while it ran. */
export async function finishJob(
  tx: Tx,
  row: JobRow,
  end: {
    readonly status: 'done' | 'failed'
    readonly lastError: string | null
    readonly now: number
  },
): Promise<void> {
  const { status, lastError, now } = end
  await heldRow(tx, row)
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
    .execute()
}

/** Puts a job back to run later, after a failure or because it requested that. */
export async function requeueJob(
  tx: Tx,
  row: JobRow,
  {
    runAt,
    lastError,
    now,
    ...counted
  }: {
    readonly runAt: number
    readonly lastError: string | null
    /** Absent: as counted. */
    readonly attempts?: number
    readonly now: number
  },
): Promise<void> {
  await heldRow(tx, row)
    .set({
      status: 'queued',
      run_at: sql<number>`case
        when rerun_at < cast(${runAt} as bigint) then rerun_at
        else cast(${runAt} as bigint) end`,
      rerun_at: null,
      lease_token: null,
      last_error: lastError,
      updated_at: now,
      ...counted,
    })
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
