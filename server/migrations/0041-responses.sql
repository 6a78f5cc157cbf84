-- The responses of POST /api/v1/responses. Their questions and answers are the messages of a session, so a
-- response holds only what it has besides them, and is deleted with its session.
create table chat_responses (
  id text primary key,
  workspace_id text not null,
  agent_id text not null,
  session_id text not null,
  -- The answer's id, known before the answer is stored; null until a background run begins to answer.
  message_id text,
  -- The number of its first input message in the session.
  first_seq bigint not null,
  -- What the response repeats of its request.
  request_json text not null,
  -- 'direct' (a caller waits for it); of a background run: 'queued', 'running', 'ended' or 'cancelled'.
  status text not null,
  -- Why a background run failed before it could answer.
  error_code text,
  created_at bigint not null
);

create index chat_responses_by_session on chat_responses (session_id);
create index chat_responses_by_message on chat_responses (message_id);
