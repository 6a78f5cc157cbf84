-- Names of chat pages that were given up, which nobody else can take for some time.
create table held_slugs (
  slug text primary key,
  workspace_id text not null references workspaces (id),
  released_at bigint not null
);
create index held_slugs_by_workspace on held_slugs (workspace_id, released_at);

-- How many domains a workspace has entered on its last day with one.
create table chat_domain_days (
  workspace_id text primary key references workspaces (id),
  day bigint not null,
  domains bigint not null
);

-- The file of an object that was replaced. It is null for other objects.
alter table object_deletions add column source_id text;
create index object_deletions_by_source on object_deletions (source_id);
