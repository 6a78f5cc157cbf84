-- How much of a count is from test conversations of the dashboard. Counts of the version before stay as
-- they are: test conversations among them cannot be told apart.
alter table analytics_questions add column tests bigint not null default 0;
alter table analytics_citations add column tests bigint not null default 0;

-- The channel of a turn that was not stored; null for turns of a conversation, which has its own.
alter table credit_entries add column channel text;
