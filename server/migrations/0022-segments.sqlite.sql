-- The full-text index in our own tables. A segment holds the postings of some of an agent's chunks and
-- never changes: what is added becomes a segment, and a job merges small segments into larger ones.
create table knowledge_segments (
  id integer primary key autoincrement,
  -- Names the content for caches: unlike the id, it is never used again.
  name text not null,
  agent_id text not null,
  -- Null for a merged segment, whose documents are its runs.
  document_id text,
  status text not null,
  -- Segments of one tier are merged together: a higher tier has more chunks.
  tier bigint not null,
  chunk_count bigint not null,
  term_count bigint not null,
  chunk_ids blob not null,
  lengths blob not null
);

create index knowledge_segments_by_agent on knowledge_segments (status, agent_id, tier);
create index knowledge_segments_by_document on knowledge_segments (document_id);

-- A row for each term of a segment: which chunks, by their number in the segment, contain it how often.
create table knowledge_entries (
  segment_id bigint not null,
  term text not null,
  chunk_count bigint not null,
  postings blob not null,
  primary key (segment_id, term)
);

-- The documents of a merged segment: consecutive chunks each. Searches leave out removed ones.
create table knowledge_runs (
  segment_id bigint not null,
  first_number bigint not null,
  chunk_count bigint not null,
  document_id text not null,
  is_removed bigint not null default 0,
  primary key (segment_id, first_number)
);

create index knowledge_runs_by_document on knowledge_runs (document_id);
create index knowledge_runs_removed on knowledge_runs (segment_id) where is_removed = 1;
