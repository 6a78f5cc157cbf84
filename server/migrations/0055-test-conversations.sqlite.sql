-- With the columns that entries have had since the trigger was created.
drop trigger credit_entries_stay_as_they_are;
create trigger credit_entries_stay_as_they_are before update on credit_entries
when not (
  new.end_user is null
  and new.id is old.id
  and new.workspace_id is old.workspace_id
  and new.kind is old.kind
  and new.amount_micros is old.amount_micros
  and new.agent_id is old.agent_id
  and new.session_id is old.session_id
  and new.message_id is old.message_id
  and new.key_id is old.key_id
  and new.model is old.model
  and new.prompt_tokens is old.prompt_tokens
  and new.completion_tokens is old.completion_tokens
  and new.cached_tokens is old.cached_tokens
  and new.idempotency_key is old.idempotency_key
  and new.note is old.note
  and new.channel is old.channel
  and new.counted_at is old.counted_at
  and new.created_at is old.created_at
)
begin
  select raise(abort, 'entries of the ledger are never changed');
end;
