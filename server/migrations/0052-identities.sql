-- Sealed: the secret with which the server of a site signs who its visitors are.
alter table chat_pages add column identity_sealed text;
