-- Statements whose plans do not depend on statistics. After a flood of jobs, these know of few jobs until
-- PostgreSQL renews them: the look for due jobs then took the index of keys or of times, and read and sorted all jobs
-- that wait. Without sorting, only the index in the order of the jobs is left.

-- Jumps in the index from workspace to workspace, for each of these kinds.
create function job_owners(kinds json, after_workspace text, most bigint)
returns table (kind text, workspace_id text) language sql stable rows 100
set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off
as $$
  with recursive owner (kind, workspace_id) as (
    select wanted, after_workspace from json_array_elements_text(kinds) as wanted
    union all
    select owner.kind, (
      select next.workspace_id from jobs as next
      where next.kind = owner.kind and next.finished_at is null
        and next.workspace_id > owner.workspace_id
      order by next.workspace_id limit 1
    ) from owner where owner.workspace_id is not null
  )
  select owner.kind, owner.workspace_id from owner
  where owner.workspace_id > after_workspace limit most
$$;

-- The first due jobs of each owner, a kind and a workspace. The index is in this order for jobs without a
-- workspace only if the statement says so.
create function first_due_jobs(owners json, due_until bigint, most bigint)
returns table (kind text, workspace_id text, id text, run_at bigint) language sql stable rows 100
set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off
as $$
  select owner.kind, owner.workspace_id, job.id, job.run_at
  from (
    select value ->> 'kind' as kind, value ->> 'workspace_id' as workspace_id
    from json_array_elements(owners) as listed (value)
  ) as owner
  cross join lateral (
    (
      select jobs.id, jobs.run_at from jobs
      where jobs.kind = owner.kind and jobs.workspace_id = owner.workspace_id
        and jobs.finished_at is null and jobs.run_at <= due_until
      order by jobs.run_at, jobs.id limit most
    ) union all (
      select jobs.id, jobs.run_at from jobs
      where owner.workspace_id is null and jobs.kind = owner.kind and jobs.workspace_id is null
        and jobs.finished_at is null and jobs.run_at <= due_until
      order by jobs.workspace_id, jobs.run_at, jobs.id limit most
    )
  ) as job
$$;

-- It reads some hundred rows, and PostgreSQL expects a thousand times as many: it started processes to read
-- them in parallel, which took most of the time of a search.
alter function conversations_with_any set max_parallel_workers_per_gather = 0;
