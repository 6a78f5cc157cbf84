-- Conversations that are being deleted in several units. Their rows in chat_sessions name neither an agent
-- nor a workspace any more, so nobody finds them; this table still does, until the last message is gone.
create table deleted_sessions (
  id text primary key,
  workspace_id text not null,
  agent_id text not null,
  -- 1 when its question was subtracted from the frequent questions.
  question_taken bigint not null
);
