-- The look for due jobs has the condition of this index, so it can use no other one. After a flood of jobs,
-- PostgreSQL's statistics know of few jobs until it renews them: it then took the index of keys or of times, and
-- read all jobs that wait. Until all processes run this version, those of the version before do so, too.
create index jobs_by_owner on jobs (kind, workspace_id, run_at, id) where coalesce(finished_at, -1) = -1;
drop index jobs_by_workspace;

-- It reads some hundred rows, and PostgreSQL expects a thousand times as many: it started processes to read
-- them in parallel, which took most of the time of a search.
alter function conversations_with_any set max_parallel_workers_per_gather = 0;
