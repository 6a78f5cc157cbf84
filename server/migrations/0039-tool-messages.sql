-- The caller's tools: the calls of an answer, or the call whose result a `tool` message is. See
-- features/turns/prompt.ts for the form.
alter table chat_messages add column calls_json text;
