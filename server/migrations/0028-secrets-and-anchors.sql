-- 1: the hosts were derived from the agent's actions, and an action that uses the secret has an address
-- whose host was not known.
alter table agent_variables add column hosts_incomplete bigint not null default 0;

-- The address of a webhook with a query or a user, sealed. `url` then only names its host and path, in
-- a form that no version sends to. Null for an address without such parts, and for one of an older
-- version that is not sealed yet.
alter table webhook_endpoints add column url_sealed text;

-- Up to which event a chain was removed because of its age, the link there, how many older events were
-- kept, and a MAC of these.
alter table audit_chains add column anchor_seq bigint not null default 0;
alter table audit_chains add column anchor_link text not null default '';
alter table audit_chains add column anchor_kept bigint not null default 0;
alter table audit_chains add column anchor_mac text;
