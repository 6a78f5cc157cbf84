-- Whose workspace it is: their workspaces share the credits and the MCP rate of a plan that nobody paid for.
alter table workspaces add column billing_user_id text;
-- 1: the plan was bought, or an operator assigned it. Its credits and rates are this workspace's alone.
alter table workspaces add column plan_is_own bigint not null default 0;

update workspaces set billing_user_id = (
  select user_id from memberships
  where memberships.workspace_id = workspaces.id and memberships.role = 'owner'
  order by memberships.created_at, memberships.user_id
  limit 1
);
update workspaces set plan_is_own = 1
where exists (
  select 1 from subscriptions
  where subscriptions.workspace_id = workspaces.id and subscriptions.plan is not null
);

create index workspaces_by_billing_user on workspaces (billing_user_id, id);

-- What each workspace received of the credits that one person's workspaces share in a month. The rows
-- are the person's and outlive the workspace: a new one must not receive the same credits again.
create table credit_shares (
  user_id text not null,
  -- 2026-01
  month text not null,
  -- The workspace.
  recipient_id text not null,
  -- Granted by the plan.
  granted_micros bigint not null,
  -- Moved here from the person's other workspaces; negative if moved away.
  moved_micros bigint not null,
  primary key (user_id, month, recipient_id)
);

create index credit_shares_by_recipient on credit_shares (recipient_id, month);

-- The bytes and chunks of a workspace's sources are summed before each new one.
create index knowledge_sources_by_workspace
on knowledge_sources (workspace_id, byte_length, chunk_count);
