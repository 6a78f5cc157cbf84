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

interface Claim {
  readonly ids: readonly string[]
  readonly now: number
  readonly leaseUntil: number
  readonly leaseToken: string
}

/** Claims jobs with a lease. On PostgreSQL it skips those that another worker is claiming. */
export async function claimJobs(tx: Tx, engine: Engine, claim: Claim): Promise<JobRow[]> {
  let due = tx.selectFrom('jobs').select('id').where('id', 'in', claim.ids)
  due = due.where('finished_at', 'is', null).where('run_at', '<=', claim.now)
  if (engine === 'postgres') due = due.forUpdate().skipLocked()
  return await tx
    .updateTable('jobs')
    .set((e) => ({
      status: 'running',
      attempts: e('attempts', '+', 1),
      run_at: claim.leaseUntil,
      lease_token: claim.leaseToken,
      updated_at: claim.now,
    }))
    .where('id', 'in', due)
    .returningAll()
    .execute()
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
