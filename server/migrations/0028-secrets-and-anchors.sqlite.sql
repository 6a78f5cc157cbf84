drop trigger audit_events_stay;

-- Only with the workspace that they are of, when that is deleted for good, or because of their age. The
-- anchor is signed: a false one is detected.
create trigger audit_events_stay before delete on audit_events
when not exists (
  select 1 from workspaces where id = old.workspace_id and purge_began_at is not null
) and not exists (
  select 1 from audit_chains
  where chain = coalesce(old.workspace_id, 'instance') and old.seq <= anchor_seq
)
begin
  select raise(abort, 'audit events are never deleted');
end;
