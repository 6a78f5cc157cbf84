-- The version of the analyser whose terms a document's segments have. Null for a document that only the
-- former index has: the job that renews the index adds it to a segment.
alter table knowledge_documents add column analysis_version text;

-- Nearly always nothing: what the former index serves.
create index knowledge_documents_unindexed on knowledge_documents (agent_id)
where analysis_version is null and status = 'ready';
