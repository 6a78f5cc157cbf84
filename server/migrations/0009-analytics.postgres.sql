-- The search index of conversations: a row for what one conversation said up to a watermark, its
-- terms analysed and prefixed with the number of the agent.
create table conversation_terms (
  id bigint generated always as identity primary key,
  session_id text not null,
  terms text[] not null
);

create index conversation_terms_by_session on conversation_terms (session_id);
create index conversation_terms_by_term on conversation_terms using gin (terms);

-- Of a day that is over the top questions are kept, ties by their text: in the order of its bytes,
-- as on SQLite.
alter table analytics_questions alter column question type text collate "C";
