-- Since when an account has belonged to no workspace, as a daily job found. Null for all others.
alter table users add column without_workspace_since bigint;
create index users_without_workspace on users (without_workspace_since)
where without_workspace_since is not null;

-- The engine looks for references to a row that it deletes.
create index setup_links_by_user on setup_links (user_id);
create index agent_versions_by_author on agent_versions (author_id);
create index invitations_by_accepter on invitations (accepted_by) where accepted_by is not null;
create index workspaces_by_deleter on workspaces (deleted_by) where deleted_by is not null;
