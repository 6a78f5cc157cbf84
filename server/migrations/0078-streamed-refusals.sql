-- A piece of a refusal that a background response has streamed, in place of the content. A process of the
-- version before neither writes nor reads it, and shows an empty text.
alter table response_texts add column refusal text;
