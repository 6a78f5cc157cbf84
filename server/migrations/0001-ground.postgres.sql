create table knowledge_chunks (
  id bigint generated always as identity primary key,
  source_id text not null references knowledge_sources (id) on delete cascade,
  agent_id text not null,
  ordinal bigint not null,
  heading text not null,
  page bigint,
  text text not null,
  token_count bigint not null,
  term_count bigint not null
);

create unique index knowledge_chunks_by_source on knowledge_chunks (source_id, ordinal);
create index knowledge_chunks_by_agent on knowledge_chunks (agent_id) include (term_count);

-- BM25 needs the number of documents that hold a term; ts_rank does not know it.
create table knowledge_postings (
  agent_id text not null,
  term text not null,
  chunk_id bigint not null references knowledge_chunks (id) on delete cascade,
  frequency double precision not null,
  primary key (agent_id, term, chunk_id)
);

create index knowledge_postings_by_chunk on knowledge_postings (chunk_id);
