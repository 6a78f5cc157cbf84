create function keep_credit_entries() returns trigger language plpgsql as $$
begin
  -- Whose use it was may be forgotten; what was used may not.
  if tg_op = 'UPDATE' then
    old.end_user := null;
    if new is not distinct from old then
      return new;
    end if;
    raise exception 'entries of the ledger are never changed';
  end if;
  -- Only with the workspace that they are of, when that is deleted for good.
  if exists (
    select 1 from workspaces where id = old.workspace_id and purge_began_at is not null
  ) then
    return old;
  end if;
  raise exception 'entries of the ledger are never deleted';
end
$$;

create trigger credit_entries_stay before update or delete on credit_entries
for each row execute function keep_credit_entries();

create function keep_all_credit_entries() returns trigger language plpgsql as $$
begin
  -- A table without rows loses none: that is how a backup is loaded.
  if exists (select 1 from credit_entries) then
    raise exception 'entries of the ledger are never deleted';
  end if;
  return null;
end
$$;

create trigger credit_entries_stay_together before truncate on credit_entries
for each statement execute function keep_all_credit_entries();
