-- The beginning of the model's reasoning, for answers of agents that store it.
alter table chat_messages add column reasoning text;
