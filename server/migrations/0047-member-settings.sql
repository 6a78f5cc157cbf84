-- What members chose for themselves in a workspace: whether they hid the first steps, and the agents
-- that they pinned, as a JSON list of ids.
alter table memberships add column first_steps_hidden_at bigint;
alter table memberships add column pinned_agents_json text not null default '[]';
