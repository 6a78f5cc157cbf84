-- An idle service looks every second whether any job is due: one row of this index shows that none is.
create index jobs_due on jobs (run_at) where finished_at is null;
