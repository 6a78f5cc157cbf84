-- People who were shown a secret of a chat page that keeps working without them: the secret that signs
-- identities and moderation, or the secret link. Replacing the secret deletes its rows.
create table known_secrets (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  -- identity, link
  kind text not null,
  user_id text not null references users (id),
  shown_at bigint not null,
  -- Since when, and why, an owner should replace the secret; null while the person may know it.
  rotate_since bigint,
  rotate_reason text,
  unique (agent_id, kind, user_id)
);
create index known_secrets_to_rotate on known_secrets (workspace_id, id) where rotate_since is not null;
create index known_secrets_by_person on known_secrets (user_id);
