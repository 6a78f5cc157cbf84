-- What running answers have streamed, in pieces that are stored about every second. An answer's own write
-- deletes its pieces. If the process ends before, they become the answer of the session, marked as incomplete.
create table partial_answers (
  message_id text not null,
  -- The place of the piece in the answer, in UTF-16 code units.
  starts_at bigint not null,
  session_id text not null,
  lease_token text not null,
  content text not null,
  model text not null,
  correlation_id text,
  first_token_ms bigint,
  begun_at bigint not null,
  stored_at bigint not null,
  primary key (message_id, starts_at)
);

create index partial_answers_by_session on partial_answers (session_id);
-- One row per answer, to find those whose process has ended.
create index partial_answers_begun on partial_answers (session_id, lease_token) where starts_at = 0;

-- The processes that run background jobs, each until it no longer renews its row. The lease tokens of its
-- jobs begin with its id.
create table job_runners (
  id text primary key,
  alive_until bigint not null
);
