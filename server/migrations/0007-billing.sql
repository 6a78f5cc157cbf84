-- Credits: what was used and granted, caps, prices, subscriptions. A credit is 1,000,000 micros.

-- The ledger. Rows are added and never changed; a balance is their sum. What is used is negative.
-- No key reaches out of it: a ledger outlives what it tells of.
create table credit_entries (
  -- Of a turn: the id of the answer, so that neither is stored twice nor without the other.
  id text primary key,
  workspace_id text not null,
  -- turn, embedding, action; grant, expiry, adjustment, purchase
  kind text not null,
  amount_micros bigint not null,
  agent_id text,
  session_id text,
  message_id text,
  key_id text,
  end_user text,
  model text,
  prompt_tokens bigint,
  completion_tokens bigint,
  idempotency_key text,
  note text,
  -- The moment whose day and month it counts to: a turn counts to those that it began in.
  counted_at bigint not null,
  created_at bigint not null
);

create index credit_entries_by_workspace on credit_entries (workspace_id, created_at, id);
create unique index credit_entries_once on credit_entries (workspace_id, idempotency_key)
where idempotency_key is not null;
-- What an answer cost besides its turn: that one is found by its id.
create index credit_entries_by_message on credit_entries (message_id)
where message_id is not null and kind <> 'turn';

create table credit_caps (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  -- workspace, agent, key, end_user
  subject text not null,
  -- Empty for a workspace; for end users `*` is each of them.
  subject_id text not null,
  -- day, month
  period text not null,
  amount_micros bigint not null,
  created_by text not null,
  created_at bigint not null,
  updated_at bigint not null,
  unique (workspace_id, subject, subject_id, period)
);

-- What a capped subject used in one day or month, and what a workspace whose credits are not
-- unlimited has used of all it was given (period `balance`).
create table credit_windows (
  id text primary key,
  workspace_id text not null,
  subject text not null,
  subject_id text not null,
  period text not null,
  starts_at bigint not null,
  ends_at bigint not null,
  limit_micros bigint not null,
  used_micros bigint not null,
  unique (workspace_id, subject, subject_id, period, starts_at)
);

create index credit_windows_by_end on credit_windows (ends_at);

-- What running turns may still use of a window. One that lapsed counts no more: its process died.
create table credit_reservations (
  turn_id text not null,
  window_id text not null,
  workspace_id text not null,
  amount_micros bigint not null,
  expires_at bigint not null,
  primary key (window_id, turn_id)
);

create index credit_reservations_by_turn on credit_reservations (turn_id);
create index credit_reservations_by_end on credit_reservations (expires_at);

-- What models, embeddings and calls cost from a moment on, for all workspaces. The newest row of a
-- pattern counts; one without prices takes the pattern back.
create table credit_prices (
  id text primary key,
  -- A model id, `provider/*` or `*`.
  pattern text not null,
  prompt_micros_per_million bigint,
  completion_micros_per_million bigint,
  call_micros bigint,
  valid_from bigint not null,
  created_by text not null,
  created_at bigint not null
);

create index credit_prices_by_pattern on credit_prices (pattern, valid_from, id);

-- What the billing provider says of a workspace.
create table subscriptions (
  workspace_id text primary key references workspaces (id) on delete cascade,
  customer_id text not null unique,
  subscription_id text unique,
  status text not null,
  plan text,
  period_starts_at bigint,
  period_ends_at bigint,
  cancels_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);

-- A page of the provider where somebody may buy a plan or a pack of credits.
create table billing_checkouts (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null,
  plan text,
  credits_micros bigint,
  provider_id text unique,
  completed_at bigint,
  created_at bigint not null
);

create index billing_checkouts_by_workspace on billing_checkouts (workspace_id, id);

-- Events of the billing provider that were dealt with.
create table billing_events (
  id text primary key,
  type text not null,
  received_at bigint not null
);

-- What one end user used in a day or month, summed when a cap on them is first met: others' turns
-- wait for that.
create index credit_entries_by_end_user on credit_entries (workspace_id, end_user, created_at)
where end_user is not null;
