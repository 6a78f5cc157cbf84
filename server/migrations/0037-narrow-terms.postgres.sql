-- Terms of conversations as numbers of four bytes instead of texts: less than half of their table. Rows
-- of the version before keep their texts, and both are searched.
alter table conversation_terms add column hashes integer[];
alter table conversation_terms alter column terms drop not null;
create index conversation_terms_by_hash on conversation_terms using gin (hashes)
where hashes is not null;

-- A session's row changes with each of its turns, mostly without a change of what is indexed: free space
-- in each page lets the new version stay there (HOT), so no index grows.
alter table chat_sessions set (fillfactor = 80);

-- Tables that mostly grow: by default they are vacuumed when a fifth of their rows is new or dead, which
-- is hours of work at once when they are large.
alter table chat_messages set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02
);
alter table credit_entries set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02
);
alter table chat_sessions set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02
);
