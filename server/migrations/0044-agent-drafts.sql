-- Changes of an agent's settings that are not published, at most one draft per agent. `changes_json` has only
-- the changed settings, so that publishing never takes back what another version changed meanwhile.
create table agent_drafts (
  agent_id text primary key references agents (id),
  -- Another one after every change.
  revision text not null,
  changes_json text not null,
  author_id text not null references users (id),
  updated_at bigint not null
);

-- The engine looks for references to a row that it deletes.
create index agent_drafts_by_author on agent_drafts (author_id);
