-- Chat pages at an address of their own: a slug at the service, and a domain.

alter table chat_pages add column slug text;
create unique index chat_pages_by_slug on chat_pages (slug);

alter table chat_pages add column domain text;
-- waiting, served, lost; null without a domain.
alter table chat_pages add column domain_state text;
-- When the domain was entered, or its proof was lost.
alter table chat_pages add column domain_changed_at bigint;
alter table chat_pages add column domain_checked_at bigint;
-- Since when a served domain has had no proof.
alter table chat_pages add column domain_failing_since bigint;
-- Why the last check did not prove the domain.
alter table chat_pages add column domain_problem text;
create index chat_pages_by_domain on chat_pages (domain);
create unique index chat_pages_by_served_domain on chat_pages (domain) where domain_state = 'served';
create unique index chat_pages_by_own_domain on chat_pages (workspace_id, domain);
create index chat_pages_by_domain_check on chat_pages (domain_state, domain_checked_at);
