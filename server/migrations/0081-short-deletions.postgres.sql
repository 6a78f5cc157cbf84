-- A rating changes only what is known of ratings; each one read all messages of its conversation.
create or replace function chat_feedback_changed() returns trigger language plpgsql as $$
declare
  session text := case when tg_op = 'DELETE' then old.session_id else new.session_id end;
begin
  update chat_sessions set facts = (facts & ~12::bigint)
    | (4 * (exists (select 1 from chat_feedback where session_id = session and rating > 0))::int)
    | (8 * (exists (select 1 from chat_feedback where session_id = session and rating < 0))::int)
  where id = session;
  return null;
end $$;
