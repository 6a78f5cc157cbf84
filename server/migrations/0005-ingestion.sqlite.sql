-- The bytes that were uploaded, in pieces, so that any process can read them.
create table knowledge_file_pieces (
  source_id text not null references knowledge_sources (id) on delete cascade,
  ordinal bigint not null,
  bytes blob not null,
  primary key (source_id, ordinal)
);
