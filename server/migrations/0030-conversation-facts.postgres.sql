create function chat_models_with(models text, model text) returns text language sql immutable as $$
  select case
    when model is null or models = '*' or strpos(models, chr(10) || model || chr(10)) > 0 then models
    when length(models) + length(model) > 500 then '*'
    else case models when '' then chr(10) else models end || model || chr(10)
  end
$$;

create function chat_size_class(messages bigint) returns bigint language sql immutable as $$
  select case
    when messages >= 64 then 6 when messages >= 32 then 5 when messages >= 16 then 4
    when messages >= 8 then 3 when messages >= 4 then 2 else 1 end::bigint
$$;

create function chat_session_facts(session text) returns bigint language sql stable as $$
  select (exists (
      select 1 from chat_messages where session_id = session and error_code is not null
    ))::int::bigint
    | (2 * (exists (
      select 1 from chat_messages as message
      where message.session_id = session and message.citations_json = '[]'
        and message.error_code is null and not exists (
          select 1 from action_calls as call
          where call.session_id = session and call.message_id = message.id
        )
    ))::int)
    | (4 * (exists (select 1 from chat_feedback where session_id = session and rating > 0))::int)
    | (8 * (exists (select 1 from chat_feedback where session_id = session and rating < 0))::int)
$$;

create function chat_message_added() returns trigger language plpgsql as $$
declare
  fact bigint := case
    when new.error_code is not null then 1
    when new.citations_json = '[]' and not exists (
      select 1 from action_calls where session_id = new.session_id and message_id = new.id
    ) then 2
    else 0
  end;
begin
  update chat_sessions set facts = facts | fact, models = chat_models_with(models, new.model)
  where id = new.session_id
    and (facts | fact <> facts or chat_models_with(models, new.model) <> models);
  return null;
end $$;

create trigger chat_messages_added after insert on chat_messages for each row
when (new.model is not null or new.error_code is not null or new.citations_json = '[]')
execute function chat_message_added();

create function chat_message_changed() returns trigger language plpgsql as $$
begin
  update chat_sessions
  set facts = chat_session_facts(id), models = chat_models_with(models, new.model)
  where id = new.session_id;
  return null;
end $$;

create trigger chat_messages_changed
after update of error_code, citations_json, model on chat_messages for each row
execute function chat_message_changed();

create function chat_feedback_changed() returns trigger language plpgsql as $$
declare
  session text := case when tg_op = 'DELETE' then old.session_id else new.session_id end;
begin
  update chat_sessions set facts = chat_session_facts(id) where id = session;
  return null;
end $$;

create trigger chat_feedback_changed after insert or update or delete on chat_feedback for each row
execute function chat_feedback_changed();

create function chat_session_grown() returns trigger language plpgsql as $$
begin
  new.size_class := chat_size_class(new.message_count);
  return new;
end $$;

create trigger chat_sessions_grown before update of message_count on chat_sessions for each row
when (new.message_count >= 4 and new.size_class < 6 and new.message_count >= 2 << new.size_class::int)
execute function chat_session_grown();

create trigger chat_sessions_begun before insert on chat_sessions for each row
when (new.message_count >= 4 and new.size_class < 6 and new.message_count >= 2 << new.size_class::int)
execute function chat_session_grown();
