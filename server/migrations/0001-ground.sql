-- The ground: people, workspaces, agents, keys, knowledge, conversations, audit.
-- One text for both engines; what differs stands in 0001-ground.sqlite.sql and 0001-ground.postgres.sql.

-- What the database knows of itself: the fingerprint of its secret key, whether it was welcomed.
create table meta (
  key text primary key,
  value text not null
);

create table sequences (
  name text primary key,
  next_value bigint not null
);

insert into sequences (name, next_value) values ('agent_number', 10001);

create table users (
  id text primary key,
  email text not null unique,
  name text not null,
  password_hash text,
  created_at bigint not null,
  updated_at bigint not null
);

create table setup_links (
  hash text primary key,
  user_id text not null references users (id),
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);

create table workspaces (
  id text primary key,
  name text not null,
  plan text not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);

create table memberships (
  workspace_id text not null references workspaces (id),
  user_id text not null references users (id),
  role text not null,
  created_at bigint not null,
  primary key (workspace_id, user_id)
);

create index memberships_by_user on memberships (user_id);

create table agents (
  id text primary key,
  workspace_id text not null references workspaces (id),
  number bigint not null unique,
  app_name_id text not null unique,
  name text not null,
  settings_json text not null,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);

create index agents_by_workspace on agents (workspace_id, id);

create table agent_versions (
  agent_id text not null references agents (id),
  version bigint not null,
  settings_json text not null,
  author_id text not null references users (id),
  note text,
  created_at bigint not null,
  primary key (agent_id, version)
);

create table api_keys (
  id text primary key,
  kind text not null,
  hash text not null unique,
  last4 text not null,
  name text not null,
  workspace_id text not null references workspaces (id),
  user_id text not null references users (id),
  agent_id text references agents (id),
  scopes text,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);

create index api_keys_by_workspace on api_keys (workspace_id, kind, id);

create table model_providers (
  workspace_id text not null references workspaces (id),
  provider text not null,
  base_url text,
  api_key_sealed text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (workspace_id, provider)
);

create table knowledge_sources (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  kind text not null,
  title text not null,
  url text,
  status text not null,
  error_code text,
  byte_length bigint not null,
  sha256 text not null,
  chunk_count bigint not null,
  token_count bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);

create index knowledge_sources_by_agent on knowledge_sources (agent_id, id);
-- What a search leaves out: nearly always nothing.
create index knowledge_sources_unready on knowledge_sources (agent_id) where status <> 'ready';

create table chat_sessions (
  id text primary key,
  workspace_id text not null,
  agent_id text not null,
  agent_version bigint not null,
  source text not null,
  end_user text,
  created_at bigint not null,
  last_message_at bigint not null,
  message_count bigint not null,
  lease_token text,
  lease_until bigint not null
);

-- Clients may choose a session's id, so ids are in no order of time.
create index chat_sessions_by_agent on chat_sessions (agent_id, created_at, id);

create table chat_messages (
  session_id text not null,
  seq bigint not null,
  id text not null,
  role text not null,
  content text not null,
  parts_json text,
  model text,
  prompt_tokens bigint,
  completion_tokens bigint,
  latency_ms bigint,
  first_token_ms bigint,
  finish_reason text,
  error_code text,
  citations_json text,
  correlation_id text,
  created_at bigint not null,
  primary key (session_id, seq)
);

create table session_waiters (
  ticket text primary key,
  session_id text not null,
  expires_at bigint not null
);

create index session_waiters_by_session on session_waiters (session_id, ticket);

create table audit_events (
  id text primary key,
  workspace_id text,
  user_id text,
  face text not null,
  via_kind text,
  via_id text,
  client text,
  action text not null,
  target text,
  outcome text not null,
  detail_json text,
  request_id text,
  created_at bigint not null
);

create index audit_events_by_workspace on audit_events (workspace_id, id);

-- Counted requests; the columns are those that rate-limiter-flexible expects of its store.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
