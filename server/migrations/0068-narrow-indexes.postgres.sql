-- One index of conversations had everything: the order of lists and what filters compare, 130 bytes for each
-- version of a session's row. Now one has the order. The other has what filters compare: few different values,
-- which share their entries, so a filter that few conversations match finds them at once. The version before
-- uses both for the same statements.
--
-- Turns wait while the indexes are built: 4 s for 300,000 conversations and 1,500,000 entries of the ledger.
-- Larger tables keep the indexes of before: docs/scale.md has the statements that replace them beside traffic.
do $$ begin
  if (select count(*) from (select 1 from chat_sessions limit 500001) as counted) <= 500000 then
    create index chat_sessions_by_time on chat_sessions (agent_id, created_at);
    create index chat_sessions_by_kind on chat_sessions (agent_id, models, source, facts, size_class);
    drop index chat_sessions_by_facts;
    drop index chat_sessions_by_models;
  end if;
  if (select count(*) from (select 1 from credit_entries limit 2000001) as counted) <= 2000000 then
    create index credit_entries_by_time on credit_entries (workspace_id, created_at);
    drop index credit_entries_by_workspace;
  end if;
end $$;

-- Nearly all rows have numbers instead of texts.
drop index conversation_terms_by_term;
create index conversation_terms_by_text on conversation_terms using gin (terms) where terms is not null;
