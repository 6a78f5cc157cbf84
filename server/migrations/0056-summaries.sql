-- What stands in for the older messages of a session when the model no longer reads them all.
create table session_summaries (
  session_id text primary key,
  workspace_id text not null,
  agent_id text not null,
  -- The last message that it covers, and the id of that message.
  covers_seq bigint not null,
  covers_id text not null,
  content text not null,
  model text not null,
  -- Of all calls of models for it and the summaries that it continues.
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cost_micros bigint not null,
  created_at bigint not null
);
