-- What the model thought while it wrote a background response. `content` is then empty, so a version that
-- does not know the column streams nothing of it.
alter table response_texts add column reasoning text;
