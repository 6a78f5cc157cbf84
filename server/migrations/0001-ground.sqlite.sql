create table knowledge_chunks (
  id integer primary key,
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

-- Terms come analysed (stemmed, segmented): the tokenizer only splits at spaces.
-- `agent` scopes a match to one agent's chunks inside the index.
create virtual table knowledge_index using fts5 (
  agent,
  heading_terms,
  body_terms,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc S* P*'"
);
