create or replace function keep_audit_events() returns trigger language plpgsql as $$
begin
  -- Only with the workspace that they are of, when that is deleted for good.
  if tg_op = 'DELETE' and exists (
    select 1 from workspaces where id = old.workspace_id and purge_began_at is not null
  ) then
    return old;
  end if;
  -- Or because of their age. The anchor is signed: a false one is detected.
  if tg_op = 'DELETE' and exists (
    select 1 from audit_chains
    where chain = coalesce(old.workspace_id, 'instance') and old.seq <= anchor_seq
  ) then
    return old;
  end if;
  -- An event may be sealed once: it gets its place in the chain, and nothing else changes.
  if tg_op = 'UPDATE' and old.seq is null and new.seq is not null and new.link is not null
    and to_jsonb(new) - 'seq' - 'link' = to_jsonb(old) - 'seq' - 'link'
  then
    return new;
  end if;
  raise exception 'audit events are never changed or deleted';
end
$$;
