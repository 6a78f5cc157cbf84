-- Actions: what an agent can do over HTTP, the variables it does it with, the remote servers whose
-- tools it may use, and every call that was made.

create table custom_actions (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  name text not null,
  enabled bigint not null,
  definition_json text not null,
  last_test_json text,
  created_at bigint not null,
  updated_at bigint not null,
  unique (agent_id, name)
);

create table agent_variables (
  agent_id text not null references agents (id),
  name text not null,
  workspace_id text not null references workspaces (id),
  kind text not null,
  description text not null,
  -- Null for a secret, whose value is sealed.
  value_json text,
  value_sealed text,
  -- The only hosts that a secret is sent to; null for any.
  hosts_json text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (agent_id, name)
);

create table tool_servers (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  name text not null,
  url text not null,
  headers_sealed text,
  header_names_json text not null,
  -- The only tools of it that are offered; null for all.
  allowed_tools_json text,
  requires_confirmation bigint not null,
  timeout_ms bigint not null,
  -- The tools as the server listed them last, and when it did.
  tools_json text not null,
  listed_at bigint not null,
  error_code text,
  created_at bigint not null,
  updated_at bigint not null,
  unique (agent_id, name)
);

-- One row for each call, written before the call is made: a call is made by whoever wrote its row,
-- or took it from awaiting confirmation to running, and by nobody else.
create table action_calls (
  id text primary key,
  workspace_id text not null,
  agent_id text not null,
  session_id text not null,
  -- The answer that the call was made for.
  message_id text not null,
  kind text not null,
  -- The action, or the server whose tool it is; null when the model named something unknown.
  source_id text,
  -- When the action was last changed before the model called it: what a person confirms is that.
  source_updated_at bigint,
  name text not null,
  title text not null,
  arguments_json text not null,
  -- What the provider wants back with the result, unread.
  provider_json text,
  status text not null,
  -- A call that still runs at this moment lost its process.
  deadline_at bigint,
  http_status bigint,
  error_code text,
  error text,
  duration_ms bigint,
  response_excerpt text,
  created_at bigint not null,
  finished_at bigint
);

create index action_calls_by_session on action_calls (session_id, id);
-- What the next message of a session may confirm: nearly always nothing.
create index action_calls_awaiting on action_calls (session_id) where status = 'awaiting_confirmation';
