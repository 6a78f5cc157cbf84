-- Accounts belong to people whose address is proven; one step ends all of a person's credentials.

-- How the address became known as the person's: mailbox, provider or operator. Null for accounts from
-- before this version; email_proven says whether those are proven.
alter table users add column email_proof text;
-- A disabled person cannot sign in by any way.
alter table users add column disabled_at bigint;

-- Links that are mailed to an address and prove that the person reads its mailbox.
create table email_links (
  hash text primary key,
  -- join: a newcomer with an invitation; change: a person's new address; undo: their former address.
  purpose text not null,
  -- The address that the link was mailed to.
  email text not null,
  user_id text references users (id),
  invitation_id text references invitations (id),
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);

create index email_links_by_user on email_links (user_id);
create index email_links_by_invitation on email_links (invitation_id);
create index email_links_by_expiry on email_links (expires_at);

-- Since when, and why, the owner should replace a chat or checkout key that a person knows.
alter table api_keys add column rotate_since bigint;
alter table api_keys add column rotate_reason text;
create index api_keys_to_rotate on api_keys (workspace_id, id) where rotate_since is not null;
create index api_keys_by_person on api_keys (user_id);

-- For ending everything of one person.
create index authorization_requests_by_person on authorization_requests (user_id) where user_id is not null;
create index invitations_by_inviter on invitations (invited_by);
create index invitations_by_email on invitations (email) where email is not null;
