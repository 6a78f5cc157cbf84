-- What lists of conversations filter by, on the session's row, so that one index answers every filter.
-- Triggers keep it, also for writes of the version before.
-- facts: 1 an answer failed, 2 a question without an answer, 4 rated up, 8 rated down.
-- size_class: 1 for at least 2 messages, 2 for at least 4, and so on up to 6 for at least 64.
-- models: every model that answered, each between line feeds; '*' for many.
alter table chat_sessions add column facts bigint not null default 0;
alter table chat_sessions add column size_class bigint not null default 1;
alter table chat_sessions add column models text not null default '';
