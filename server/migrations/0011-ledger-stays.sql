-- When a page where a plan could be bought was closed, because a newer one was opened in its place.
alter table billing_checkouts add column closed_at bigint;
