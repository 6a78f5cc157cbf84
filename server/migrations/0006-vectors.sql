-- Vectors: what each chunk means, as an embedding model says it, beside its full text.

-- The space whose vectors hold every chunk of a source that searches find; null, or another than the
-- one that is built or serves, when some are still to be embedded.
alter table knowledge_sources add column vector_space_id bigint;
-- What embedding it has taken so far, in tokens of the model.
alter table knowledge_sources add column embedded_token_count bigint not null default 0;
