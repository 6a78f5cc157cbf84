-- The vectors that one model gave to what one agent knows. `serving`: searches use it. `building`:
-- another model's, until it is whole. `retired`: its vectors are being deleted.
create table knowledge_vector_spaces (
  id bigint generated always as identity primary key,
  agent_id text not null references agents (id),
  model text not null,
  dimensions bigint not null,
  status text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create unique index knowledge_vector_spaces_by_model on knowledge_vector_spaces (agent_id, model)
where status <> 'retired';
create unique index knowledge_vector_spaces_serving on knowledge_vector_spaces (agent_id)
where status = 'serving';

-- One byte for each dimension, from -127 to 127: the vector's direction, which is all that its
-- cosine to another depends on.
create table knowledge_vectors (
  space_id bigint not null references knowledge_vector_spaces (id),
  chunk_id bigint not null references knowledge_chunks (id) on delete cascade,
  code bytea not null,
  primary key (space_id, chunk_id)
);

create index knowledge_vectors_by_chunk on knowledge_vectors (chunk_id);
-- Numbers like these do not compress: trying to would be in vain.
alter table knowledge_vectors alter column code set storage external;

-- The chunks of a source in order, for walking them in batches.
drop index knowledge_chunks_by_source;
create index knowledge_chunks_by_source on knowledge_chunks (source_id, id);
