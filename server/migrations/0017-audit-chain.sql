-- The audit log is a chain per workspace: each event has a MAC of its own, and a link that depends on
-- every event before it. Events of older versions have neither until they are sealed.
alter table audit_events add column mac text;
alter table audit_events add column seq bigint;
alter table audit_events add column link text;

create index audit_events_in_chain on audit_events (workspace_id, seq) where seq is not null;
create index audit_events_unsealed on audit_events (id) where seq is null;

-- The newest link of each chain, outside the table of events.
create table audit_chains (
  chain text primary key,
  seq bigint not null,
  link text not null,
  workspace_chains bigint not null,
  unsigned_until bigint not null,
  updated_at bigint not null,
  mac text not null
);
