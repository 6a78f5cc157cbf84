-- A first, coarse look at many vectors: each block holds about a thousand of a space in one bit per
-- dimension (server/src/kernel/vector-block.ts). Derived from knowledge_vectors.
create table knowledge_vector_blocks (
  id integer primary key autoincrement,
  space_id bigint not null references knowledge_vector_spaces (id),
  vector_count bigint not null,
  content blob not null
);

create index knowledge_vector_blocks_by_space on knowledge_vector_blocks (space_id);

-- Null for a vector that is not in a block: searches compare it exactly.
alter table knowledge_vectors add column block_id bigint;
create index knowledge_vectors_by_block on knowledge_vectors (space_id, block_id, chunk_id);
