-- What a workspace used on each day (UTC), added up by a job, so that its use of a month or of all
-- time is not read from the ledger each time. Entries since the watermark are not in it yet.
create table credit_days (
  workspace_id text not null,
  day bigint not null,
  used_micros bigint not null,
  primary key (workspace_id, day)
);

insert into watermarks (name, reached_at, generation) values ('credit_days', 0, 0);

-- The audit log by who did something, which SQLite read from its beginning.
create index audit_events_by_actor on audit_events (workspace_id, user_id, id);
