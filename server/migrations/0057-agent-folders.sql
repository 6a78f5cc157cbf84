-- The folder in which people find an agent; '' for none. It is no setting of the agent: moving an agent
-- makes no version.
alter table agents add column folder text not null default '';
