-- The audit log in partitions by time (decision 92). No row is copied or read: the existing table becomes the only
-- partition, which takes every id. A job closes it later at the beginning of a month, and each month after that.
-- The version before can use this schema: names and columns are the same. Its purge of a workspace finds rows by
-- their place in the file, which is unique within one partition only, so the job waits a day.
alter table audit_events rename to audit_events_open;
-- The names that PostgreSQL itself gives to indexes of partitions.
alter index audit_events_pkey rename to audit_events_open_pkey;
alter index audit_events_by_person rename to audit_events_open_user_id_id_idx;
alter index audit_events_in_chain rename to audit_events_open_workspace_id_seq_idx;
alter index audit_events_unsealed rename to audit_events_open_id_idx;
alter index audit_events_by_time rename to audit_events_open_workspace_id_id_created_at_idx;
alter index audit_events_by_action rename to audit_events_open_workspace_id_action_id_idx;
alter index audit_events_by_target rename to audit_events_open_workspace_id_target_id_idx;
alter index audit_events_refused rename to audit_events_open_workspace_id_id_idx;
alter index audit_events_by_actor rename to audit_events_open_workspace_id_user_id_id_idx;
-- Partitions get this trigger from their table. The one for `truncate` stays: that trigger is not inherited.
drop trigger audit_events_stay on audit_events_open;

create table audit_events (
  like audit_events_open including defaults,
  primary key (id)
) partition by range (id);

-- Without a bound, so that nothing has to be checked: the primary key says that no id is null.
alter table audit_events attach partition audit_events_open for values from (minvalue) to (maxvalue);

-- Each adopts the matching index of the partition.
create index audit_events_by_person on audit_events (user_id, id);
create index audit_events_in_chain on audit_events (workspace_id, seq) where seq is not null;
create index audit_events_unsealed on audit_events (id) where seq is null;
create index audit_events_by_time on audit_events (workspace_id, id, created_at);
create index audit_events_by_action on audit_events (workspace_id, action, id);
create index audit_events_by_target on audit_events (workspace_id, target, id) where target is not null;
create index audit_events_refused on audit_events (workspace_id, id) where outcome <> 'done';
create index audit_events_by_actor on audit_events (workspace_id, user_id, id);

create trigger audit_events_stay before update or delete on audit_events
for each row execute function keep_audit_events();
create trigger audit_events_stay_together before truncate on audit_events
for each statement execute function keep_all_audit_events();

-- Roles that could read the log keep that right.
do $$
declare
  granted record;
begin
  for granted in
    select case when acl.grantee = 0 then 'public' else acl.grantee::regrole::text end as role,
      acl.privilege_type as privilege, acl.is_grantable
    from pg_class as class, aclexplode(class.relacl) as acl
    where class.oid = 'audit_events_open'::regclass and acl.grantee <> class.relowner
  loop
    execute format('grant %s on audit_events to %s %s', granted.privilege, granted.role,
      case when granted.is_grantable then 'with grant option' else '' end);
  end loop;
end
$$;
