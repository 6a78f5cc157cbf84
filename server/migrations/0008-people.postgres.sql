create function keep_audit_events() returns trigger language plpgsql as $$
begin
  -- Only with the workspace that they are of, when that is deleted for good.
  if tg_op = 'DELETE' and exists (
    select 1 from workspaces where id = old.workspace_id and purge_began_at is not null
  ) then
    return old;
  end if;
  raise exception 'audit events are never changed or deleted';
end
$$;

create trigger audit_events_stay before update or delete on audit_events
for each row execute function keep_audit_events();

create function keep_all_audit_events() returns trigger language plpgsql as $$
begin
  -- A table without rows loses none: that is how a backup is loaded.
  if exists (select 1 from audit_events) then
    raise exception 'audit events are never deleted';
  end if;
  return null;
end
$$;

create trigger audit_events_stay_together before truncate on audit_events
for each statement execute function keep_all_audit_events();
