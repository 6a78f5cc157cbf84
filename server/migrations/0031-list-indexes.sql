-- Filters of lists that read every row before: of the audit log, the ledger and orders. What is in
-- conversations is counted once here: about 10 s for a million messages.
create index audit_events_by_time on audit_events (workspace_id, id, created_at);
drop index audit_events_by_workspace;
create index audit_events_by_action on audit_events (workspace_id, action, id);
create index audit_events_by_target on audit_events (workspace_id, target, id) where target is not null;
create index audit_events_refused on audit_events (workspace_id, id) where outcome <> 'done';
create index credit_entries_by_kind on credit_entries (workspace_id, kind, created_at, id)
where kind <> 'turn';
create index orders_by_status on orders (agent_id, status, id);

