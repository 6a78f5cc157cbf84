-- Anonymous visitors of a widget whom the host has identified. Their visits have ended.
create table joined_visitors (
  agent_id text not null references agents (id),
  -- The end user of their conversations before, and after.
  visitor text not null,
  end_user text not null,
  -- Until then, a turn that began before may still be running.
  ends_at bigint not null,
  primary key (agent_id, visitor)
);
