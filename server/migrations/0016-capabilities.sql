-- What a credential is bound to, from where it may be used, and by whom it was used last.

-- Workspaces and agents as JSON; null: wherever the user may act.
alter table api_keys add column reach_json text;
-- Networks in CIDR notation, separated by spaces; null: any address.
alter table api_keys add column allowed_addresses text;
-- 1 for keys that end in a checksum. Keys of earlier releases have none.
alter table api_keys add column has_checksum bigint not null default 0;
alter table api_keys add column last_used_address text;
alter table api_keys add column last_used_agent text;

alter table authorization_requests add column reach_json text;

alter table oauth_grants add column reach_json text;
alter table oauth_grants add column last_used_address text;
alter table oauth_grants add column last_used_agent text;

-- For the report of unused ones.
create index oauth_grants_by_workspace on oauth_grants (workspace_id, id);
