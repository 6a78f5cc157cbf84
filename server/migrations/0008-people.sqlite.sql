create trigger audit_events_stay_as_they_are before update on audit_events
begin
  select raise(abort, 'audit events are never changed');
end;

-- Only with the workspace that they are of, when that is deleted for good.
create trigger audit_events_stay before delete on audit_events
when not exists (
  select 1 from workspaces where id = old.workspace_id and purge_began_at is not null
)
begin
  select raise(abort, 'audit events are never deleted');
end;
