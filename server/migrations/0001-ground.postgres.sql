-- The knowledge of one agent: its id begins each of the agent's postings, its counts are those of BM25.
create table knowledge_collections (
  id bigint generated always as identity primary key,
  agent_id text not null unique references agents (id),
  chunk_count bigint not null,
  term_count bigint not null
);

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

-- BM25 needs the number of documents that hold a term; ts_rank does not know it. One row holds the
-- chunks of one batch of a source (named by its first chunk) that hold the term: in three arrays of
-- equal length their ids, how often each says the term, and how many terms each has.
create table knowledge_postings (
  collection_id bigint not null,
  term text not null,
  batch_id bigint not null,
  chunk_ids bigint[] not null,
  frequencies integer[] not null,
  lengths integer[] not null,
  primary key (collection_id, term, batch_id)
);

create index knowledge_postings_by_batch on knowledge_postings (batch_id);
