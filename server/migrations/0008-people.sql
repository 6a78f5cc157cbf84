-- People: invitations, workspaces and agents that are deleted for good, an audit log that only grows.

create table invitations (
  id text primary key,
  workspace_id text not null references workspaces (id),
  -- Whom it is for; null for whoever holds the link.
  email text,
  role text not null,
  token_hash text not null unique,
  invited_by text not null references users (id),
  -- How often it was sent: each time is a new link, and a message of its own.
  round bigint not null,
  -- none, pending, sent, failed
  mail_status text not null,
  -- The message, sealed, until it is sent: it holds the link.
  mail_sealed text,
  mail_error text,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null,
  accepted_at bigint,
  accepted_by text references users (id),
  revoked_at bigint
);

create index invitations_by_workspace on invitations (workspace_id, id);

-- 0 where nothing shows that the address is the person's: a link that was not mailed made the account.
alter table users add column email_proven bigint not null default 1;

alter table workspaces add column deleted_by text references users (id);
-- From here on there is no way back: rows are being deleted.
alter table workspaces add column purge_began_at bigint;
create index workspaces_deleted on workspaces (deleted_at) where deleted_at is not null;

-- When what a deleted agent knew and said was deleted.
alter table agents add column purged_at bigint;
create index agents_to_purge on agents (deleted_at) where deleted_at is not null and purged_at is null;

alter table audit_events add column before_json text;
alter table audit_events add column after_json text;
alter table audit_events add column address text;
create index audit_events_by_person on audit_events (user_id, id);
