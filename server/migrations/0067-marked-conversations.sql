-- Conversations in which an answer failed or was rated: few of them, so that lists of them need not read the
-- entries of all. On PostgreSQL, turns wait while both indexes are built: a second for 300,000 conversations.
create index chat_sessions_marked
  on chat_sessions (agent_id, created_at, id, source, facts, size_class, models)
where facts & 13 <> 0;
