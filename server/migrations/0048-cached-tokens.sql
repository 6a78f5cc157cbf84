-- Tokens of a prompt that the provider had in its cache, and their price. Null: none, and the price of other
-- prompt tokens. A process of the version before counts and charges them as other prompt tokens.
alter table chat_messages add column cached_tokens bigint;
alter table credit_entries add column cached_tokens bigint;
alter table credit_prices add column cached_micros_per_million bigint;
