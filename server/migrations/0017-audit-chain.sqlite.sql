-- An event may be sealed once: it gets its place in the chain, and nothing else changes.
drop trigger audit_events_stay_as_they_are;

create trigger audit_events_stay_as_they_are before update on audit_events
when not (
  old.seq is null and new.seq is not null and new.link is not null
  and new.id is old.id and new.workspace_id is old.workspace_id and new.user_id is old.user_id
  and new.face is old.face and new.via_kind is old.via_kind and new.via_id is old.via_id
  and new.client is old.client and new.action is old.action and new.target is old.target
  and new.outcome is old.outcome and new.detail_json is old.detail_json
  and new.before_json is old.before_json and new.after_json is old.after_json
  and new.address is old.address and new.request_id is old.request_id
  and new.created_at is old.created_at and new.mac is old.mac
)
begin
  select raise(abort, 'audit events are never changed');
end;
