-- Blocks of vectors as SQLite searches them. PostgreSQL only keeps them, so that a copy of a database
-- works on either engine.
create table knowledge_vector_blocks (
  id bigint generated always as identity primary key,
  space_id bigint not null references knowledge_vector_spaces (id),
  vector_count bigint not null,
  content bytea not null
);

create index knowledge_vector_blocks_by_space on knowledge_vector_blocks (space_id);

alter table knowledge_vectors add column block_id bigint;
create index knowledge_vectors_by_block on knowledge_vectors (space_id, block_id)
where block_id is not null;
