-- An idle service looks every second whether any job is due: one row of this index shows that none is.
-- It is on an expression, so that no claim chooses it: a claim that follows it reads all jobs that wait.
create index jobs_due on jobs ((run_at + 0)) where finished_at is null;
