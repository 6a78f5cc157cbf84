-- Files that callers upload and name by their ids in requests. A row without `purpose` is still arriving.
create table uploaded_files (
  id text primary key,
  workspace_id text not null,
  agent_id text not null,
  filename text not null,
  media_type text,
  purpose text,
  -- While it arrives: what it may have at most.
  byte_length bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  -- Whether a use moves the time of its expiry.
  renews bigint not null
);

create index uploaded_files_by_agent on uploaded_files (agent_id, id);
create index uploaded_files_by_workspace on uploaded_files (workspace_id, byte_length);
create index uploaded_files_by_expiry on uploaded_files (expires_at);

create table uploaded_file_pieces (
  file_id text not null references uploaded_files (id) on delete cascade,
  ordinal bigint not null,
  bytes blob not null,
  primary key (file_id, ordinal)
);
