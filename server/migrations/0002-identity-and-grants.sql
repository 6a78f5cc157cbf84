-- Sign-in sessions and the authorization server: clients, requests, grants, tokens.
-- Every credential is kept as its SHA-256 only.

create table sign_in_sessions (
  id text primary key,
  hash text not null unique,
  user_id text not null references users (id),
  method text not null,
  user_agent text,
  address text,
  created_at bigint not null,
  last_seen_at bigint not null,
  expires_at bigint not null
);

create index sign_in_sessions_by_user on sign_in_sessions (user_id, id);
create index sign_in_sessions_by_expiry on sign_in_sessions (expires_at);

-- Who a person is at an OpenID provider: its issuer and the subject it knows them by.
create table external_identities (
  issuer text not null,
  subject text not null,
  user_id text not null references users (id),
  created_at bigint not null,
  primary key (issuer, subject)
);

create index external_identities_by_user on external_identities (user_id);

create table oauth_clients (
  id text primary key,
  kind text not null,
  metadata_json text not null,
  created_at bigint not null,
  last_used_at bigint not null,
  fresh_until bigint
);

-- One row from the first redirect to the redeemed code, under one deadline.
create table authorization_requests (
  id text primary key,
  handle_hash text not null unique,
  browser_hash text not null,
  client_id text not null,
  redirect_uri text not null,
  scopes text not null,
  state text,
  code_challenge text not null,
  resource text not null,
  created_at bigint not null,
  expires_at bigint not null,
  decided_at bigint,
  user_id text references users (id),
  workspace_id text references workspaces (id),
  code_hash text unique,
  redeemed_at bigint,
  grant_id text
);

create index authorization_requests_by_expiry on authorization_requests (expires_at);

create table oauth_grants (
  id text primary key,
  user_id text not null references users (id),
  workspace_id text not null references workspaces (id),
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  scopes text not null,
  resource text not null,
  created_at bigint not null,
  expires_at bigint not null,
  last_used_at bigint,
  revoked_at bigint
);

create index oauth_grants_by_user on oauth_grants (user_id, id);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_by_expiry on oauth_grants (expires_at);

create table oauth_tokens (
  hash text primary key,
  kind text not null,
  grant_id text not null references oauth_grants (id) on delete cascade,
  scopes text not null,
  created_at bigint not null,
  expires_at bigint not null,
  -- A refresh token that was exchanged stays, so that its reuse is noticed.
  rotated_at bigint
);

create index oauth_tokens_by_grant on oauth_tokens (grant_id);
create index oauth_tokens_by_expiry on oauth_tokens (expires_at);
