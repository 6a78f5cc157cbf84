-- The knowledge of one agent: its id begins each of the agent's terms in the index, its counts are
-- those of BM25.
create table knowledge_collections (
  id integer primary key autoincrement,
  agent_id text not null unique references agents (id),
  chunk_count bigint not null,
  term_count bigint not null
);

-- autoincrement: an id is never given twice, so sqlite_sequence holds how many chunks were ever
-- indexed. The row count of a contentless FTS5 table is that number, too: deleting does not lower it.
create table knowledge_chunks (
  id integer primary key autoincrement,
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

-- Terms come analysed (stemmed, segmented) as `<collection>:<term>`, so that what one agent knows is
-- found and counted without reading what others know; the tokenizer only splits at spaces.
create virtual table knowledge_index using fts5 (
  heading_terms,
  body_terms,
  content = '',
  contentless_delete = 1,
  tokenize = "ascii tokenchars ':'"
);

-- How many chunks hold a term.
create virtual table knowledge_terms using fts5vocab (knowledge_index, 'row');
