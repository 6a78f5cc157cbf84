-- The requests of background responses that have not ended. The job that answers one needs what its caller sent.
create table response_runs (
  response_id text primary key,
  workspace_id text not null,
  agent_id text not null,
  session_id text not null,
  input_json text not null,
  created_at bigint not null
);

create index response_runs_by_session on response_runs (session_id);
create index response_runs_by_agent on response_runs (agent_id);

-- What background responses have streamed: each row is one event, so that a stream can be read again from
-- any of its numbers. A run that begins again writes another message.
create table response_texts (
  response_id text not null,
  n bigint not null,
  session_id text not null,
  message_id text not null,
  content text not null,
  primary key (response_id, n)
);

create index response_texts_by_session on response_texts (session_id);

-- What callers store with a session that they created or changed as a conversation.
create table conversation_metadata (
  session_id text primary key,
  workspace_id text not null,
  agent_id text not null,
  metadata_json text not null
);
