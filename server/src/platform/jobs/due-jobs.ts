import { sql, type RawBuilder } from 'kysely'
import type { Engine, Reader } from '#platform/db/database.ts'

/** Kinds of jobs, and those of them that run even after their workspace was deleted. */
export interface Kinds {
  readonly kinds: readonly string[]
  readonly outliving: readonly string[]
}

export interface Search extends Kinds {
  readonly limit: number
  /** Finds only jobs with which a workspace runs no more of these kinds than another one does. */
  readonly isBalancing: boolean
  readonly now: number
  /** Looks at the workspaces with greater ids; '' for all. */
  readonly after: string
}

interface Due {
  readonly ids: readonly string[]
  /** Where the next look begins. */
  readonly next: string
}

/** How many workspaces one look considers. */
export const workspacesAtOnce = 500

/** Whether any job of any kind is due. Most looks of a service at rest end here. */
export async function hasDueJobs(reader: Reader, now: number): Promise<boolean> {
  // As the index has it: migration 38 says why.
  const due = sql<number>`run_at + 0`
  const first = reader.selectFrom('jobs').select(due.as('due')).where('finished_at', 'is', null)
  const row = await first.orderBy(due).limit(1).executeTakeFirst()
  return row !== undefined && Number(row.due) <= now
}

/**
 * Finds due jobs, first those of the workspaces that have the fewest running jobs of these kinds in all
 * processes: a workspace with many due jobs gets no more than half while another waits. Jobs without a
 * workspace belong to the service and come first.
 *
 * The cost does not grow with the number of jobs that wait: a look jumps in the index from workspace to
 * workspace, and reads at most `limit` jobs of each.
 */
export async function findDueJobs(reader: Reader, engine: Engine, search: Search): Promise<Due> {
  const owners = await findOwners(reader, engine, search)
  const { rows } = await rankedJobs(engine, search, owners).execute(reader)
  const isWhole = owners.length < workspacesAtOnce
  return { ids: rows.map(({ id }) => id), next: isWhole ? '' : lastOf(owners) }
}

interface Owner {
  readonly kind: string
  readonly workspace_id: string | null
}

async function findOwners(
  reader: Reader,
  engine: Engine,
  { kinds, after }: Search,
): Promise<readonly Owner[]> {
  const found =
    engine === 'postgres'
      ? sql<Owner>`select * from job_owners(${JSON.stringify(kinds)}::json, ${after}, ${workspacesAtOnce})`
      : ownersOnSqlite(kinds, after)
  return (await found.execute(reader)).rows
}

/** As the function of migration 82. */
function ownersOnSqlite(kinds: readonly string[], after: string): RawBuilder<Owner> {
  const starts = kinds.map((kind) => sql`(${kind}, ${after})`)
  return sql`
    with recursive owner (kind, workspace_id) as (
      values ${sql.join(starts)}
      union all
      select kind, (
        select next.workspace_id from jobs as next
        where next.kind = owner.kind and next.finished_at is null
          and next.workspace_id > owner.workspace_id
        order by next.workspace_id limit 1
      ) from owner where workspace_id is not null
    )
    select kind, workspace_id from owner where workspace_id > ${after} limit ${workspacesAtOnce}
  `
}

/** Every kind has been searched up to this workspace or further. */
function lastOf(owners: readonly Owner[]): string {
  const last = new Map(owners.map(({ kind, workspace_id }) => [kind, workspace_id ?? '']))
  return [...last.values()].reduce((least, id) => (id < least ? id : least))
}

function rankedJobs(
  engine: Engine,
  { kinds, outliving, limit, isBalancing, now }: Search,
  owners: readonly Owner[],
): RawBuilder<{ readonly id: string }> {
  const ofService = kinds.map((kind): Owner => ({ kind, workspace_id: null }))
  const listed = JSON.stringify([...ofService, ...owners])
  const outlives = outliving.length === 0 ? sql`false` : sql`job.kind in (${sql.join(outliving)})`
  const isWanted = isBalancing
    ? sql`workspace_id is not null and rank <= coalesce((select max(count) from busy), 1)`
    : sql`true`
  // Running jobs are not finished. If the statement said so, PostgreSQL could read all jobs that are not.
  return sql`
    with busy as (
      select workspace_id, count(*) as count from jobs
      where status = 'running' and run_at > ${now}
        and kind in (${sql.join(kinds)}) and workspace_id is not null
      group by workspace_id
    ),
    due as (
      select job.id, job.run_at, job.workspace_id, case when job.workspace_id is null then 0 else
        coalesce(busy.count, 0)
        + row_number() over (partition by job.workspace_id order by job.run_at, job.id) end as rank
      from ${firstJobs(engine, listed, limit, now)}
      left join busy on busy.workspace_id = job.workspace_id
      where ${outlives} or not exists (
        select 1 from workspaces
        where workspaces.id = job.workspace_id and workspaces.deleted_at is not null
      )
    )
    select id from due where ${isWanted} order by rank, run_at limit ${limit}`
}

/** The first due jobs of each owner. */
function firstJobs(
  engine: Engine,
  owners: string,
  limit: number,
  now: number,
): RawBuilder<unknown> {
  if (engine === 'postgres') return sql`first_due_jobs(${owners}::json, ${now}, ${limit}) as job`
  return sql`(
    select owner.kind, owner.workspace_id, first.id, first.run_at
    from (
      select value ->> 'kind' as kind, value ->> 'workspace_id' as workspace_id
      from json_each(${owners})
    ) as owner
    cross join jobs as first on first.id in (
      select id from (
        select id, run_at from jobs
        where jobs.kind = owner.kind and jobs.workspace_id is owner.workspace_id
          and finished_at is null and run_at <= ${now}
        order by run_at, id limit ${limit}
      )
    )
  ) as job`
}
