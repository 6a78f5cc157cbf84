-- Ingestion: sources that are files and web pages, read by a job, and the documents they consist of.

alter table knowledge_sources add column stage text;
alter table knowledge_sources add column progress bigint not null default 0;
alter table knowledge_sources add column error_facts_json text;
alter table knowledge_sources add column filename text;
alter table knowledge_sources add column media_type text;
alter table knowledge_sources add column crawl_json text;
alter table knowledge_sources add column refresh_every text;
alter table knowledge_sources add column last_indexed_at bigint;
alter table knowledge_sources add column next_refresh_at bigint;
-- When the present reading of all pages began: what was read since is not read again after a crash.
alter table knowledge_sources add column round_started_at bigint;
alter table knowledge_sources add column document_count bigint not null default 0;

-- What was being added when the service was stopped for this migration.
update knowledge_sources set stage = 'storing' where status = 'processing';
update knowledge_sources set document_count = 1, progress = 100, last_indexed_at = updated_at
where status = 'ready';

-- A text, a file or a page. Searches find the chunks of those that are ready; a document that changed
-- is read anew beside the old one, which serves until the new one takes its place.
create table knowledge_documents (
  id text primary key,
  source_id text not null references knowledge_sources (id) on delete cascade,
  agent_id text not null,
  status text not null,
  url text,
  title text,
  sha256 text,
  etag text,
  last_modified text,
  -- The addresses it links to: a page that says it has not changed does not send them again.
  links_json text not null,
  chunk_count bigint not null,
  token_count bigint not null,
  term_count bigint not null,
  page_count bigint,
  checked_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);

create index knowledge_documents_by_source on knowledge_documents (source_id, url);
-- What a search leaves out: nearly always nothing.
create index knowledge_documents_unready on knowledge_documents (agent_id) where status <> 'ready';
drop index knowledge_sources_unready;

alter table knowledge_chunks add column document_id text not null default '';

insert into knowledge_documents (
  id, source_id, agent_id, status, sha256, links_json, chunk_count, token_count, term_count,
  checked_at, created_at, updated_at
)
select id, id, agent_id, case when status = 'ready' then 'ready' else 'building' end, sha256, '[]',
  chunk_count, token_count,
  coalesce((select sum(term_count) from knowledge_chunks where source_id = source.id), 0),
  updated_at, created_at, updated_at
from knowledge_sources as source;

update knowledge_chunks set document_id = source_id;

drop index knowledge_chunks_by_source;
create unique index knowledge_chunks_by_document on knowledge_chunks (document_id, ordinal);
create index knowledge_chunks_by_source on knowledge_chunks (source_id);
