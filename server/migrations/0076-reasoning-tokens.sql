-- Of the completion tokens of an answer, those that were reasoning, so that a response that is read again
-- shows what it showed at first. Null: none, or an answer of a process of the version before.
alter table chat_messages add column reasoning_tokens bigint;
