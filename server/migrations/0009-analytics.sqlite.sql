-- The search index of conversations: a row for what one conversation said up to a watermark, its
-- terms analysed and prefixed with the number of the agent.
create table conversation_documents (
  id integer primary key autoincrement,
  session_id text not null
);

create index conversation_documents_by_session on conversation_documents (session_id);

create virtual table conversation_index using fts5 (
  terms,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = "ascii tokenchars ':'"
);
