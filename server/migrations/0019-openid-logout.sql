-- OpenID Connect back-channel logout: the provider ends the sessions that began with it.

-- SHA-256 of the issuer and the provider's session id (sid); null if the provider sent none.
alter table sign_in_sessions add column openid_session_hash text;
create index sign_in_sessions_by_openid_session on sign_in_sessions (openid_session_hash)
  where openid_session_hash is not null;

-- The ids of logout tokens that were used, hashed, until the tokens expire.
create table openid_logouts (
  hash text primary key,
  expires_at bigint not null
);
