-- Second factors, half-finished sign-ins, and when a person last proved who they are.

create table second_factors (
  id text primary key,
  user_id text not null references users (id),
  -- totp: an authenticator app; passkey
  kind text not null,
  name text not null,
  -- Of an authenticator app: its secret, sealed, and the time step of the last code that was accepted.
  secret_sealed text,
  last_step bigint,
  -- Of a passkey: its id and COSE key in base64url, its sign counter, how browsers reach it (JSON).
  credential_id text unique,
  public_key text,
  sign_count bigint,
  transports_json text,
  created_at bigint not null,
  last_used_at bigint
);

create index second_factors_by_user on second_factors (user_id, id);

create table recovery_codes (
  hash text primary key,
  user_id text not null references users (id),
  created_at bigint not null,
  used_at bigint
);

create index recovery_codes_by_user on recovery_codes (user_id);

-- What a browser must answer, once and until a deadline: a passkey's challenge, or the secret of an
-- authenticator app that is being added (sealed).
create table factor_challenges (
  -- The id of the session, or the hash of the half-finished sign-in.
  holder text not null,
  -- prove, add_passkey, add_totp
  purpose text not null,
  user_id text not null references users (id),
  value text not null,
  expires_at bigint not null,
  primary key (holder, purpose)
);

create index factor_challenges_by_expiry on factor_challenges (expires_at);
create index factor_challenges_by_user on factor_challenges (user_id);

-- The first step succeeded and the second factor is missing: not a session.
create table half_sign_ins (
  hash text primary key,
  user_id text not null references users (id),
  method text not null,
  -- As in sign_in_sessions.
  openid_session_hash text,
  created_at bigint not null,
  expires_at bigint not null
);

create index half_sign_ins_by_expiry on half_sign_ins (expires_at);
create index half_sign_ins_by_user on half_sign_ins (user_id);

-- When the person last signed in or confirmed that it is them; 0 for sessions of earlier versions.
alter table sign_in_sessions add column confirmed_at bigint not null default 0;

alter table workspaces add column owners_need_second_factor bigint not null default 0;
