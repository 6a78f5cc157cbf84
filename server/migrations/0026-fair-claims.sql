-- A claim looks at the first due jobs of each workspace, so its cost does not grow with the number of
-- jobs that wait.
create index jobs_by_workspace on jobs (kind, workspace_id, run_at, id) where finished_at is null;
create index jobs_running on jobs (kind, workspace_id) where status = 'running';
-- Both versions of the service now find what is due by its kind.
drop index jobs_due;
