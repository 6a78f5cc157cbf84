create trigger chat_messages_added after insert on chat_messages
when new.model is not null or new.error_code is not null or new.citations_json = '[]'
begin
  update chat_sessions set
    facts = facts | case
      when new.error_code is not null then 1
      when new.citations_json = '[]' and not exists (
        select 1 from action_calls
        where session_id = new.session_id and message_id = new.id
      ) then 2
      else 0
    end,
    models = case
      when new.model is null or models = '*'
        or instr(models, char(10) || new.model || char(10)) > 0 then models
      when length(models) + length(new.model) > 500 then '*'
      else case models when '' then char(10) else models end || new.model || char(10)
    end
  where id = new.session_id and (
    (new.error_code is not null and facts & 1 = 0)
    or (new.citations_json = '[]' and facts & 2 = 0)
    or (new.model is not null and models <> '*'
      and instr(models, char(10) || new.model || char(10)) = 0)
  );
end;

create trigger chat_messages_changed after update of error_code, citations_json, model on chat_messages
begin
  update chat_sessions set
    facts = (facts & ~3) | exists (
      select 1 from chat_messages as message
      where message.session_id = new.session_id and message.error_code is not null
    ) | (2 * exists (
      select 1 from chat_messages as message
      where message.session_id = new.session_id and message.citations_json = '[]'
        and message.error_code is null and not exists (
          select 1 from action_calls as call
          where call.session_id = message.session_id and call.message_id = message.id
        )
    )),
    models = case
      when new.model is null or models = '*'
        or instr(models, char(10) || new.model || char(10)) > 0 then models
      when length(models) + length(new.model) > 500 then '*'
      else case models when '' then char(10) else models end || new.model || char(10)
    end
  where id = new.session_id;
end;

create trigger chat_feedback_added after insert on chat_feedback
begin
  update chat_sessions set facts = facts | case when new.rating > 0 then 4 else 8 end
  where id = new.session_id;
end;

create trigger chat_feedback_changed after update of rating on chat_feedback
begin
  update chat_sessions set facts = (facts & ~12)
    | (4 * exists (select 1 from chat_feedback where session_id = new.session_id and rating > 0))
    | (8 * exists (select 1 from chat_feedback where session_id = new.session_id and rating < 0))
  where id = new.session_id;
end;

create trigger chat_feedback_removed after delete on chat_feedback
begin
  update chat_sessions set facts = (facts & ~12)
    | (4 * exists (select 1 from chat_feedback where session_id = old.session_id and rating > 0))
    | (8 * exists (select 1 from chat_feedback where session_id = old.session_id and rating < 0))
  where id = old.session_id;
end;

create trigger chat_sessions_grown after update of message_count on chat_sessions
when new.message_count >= 4 and new.size_class < 6
  and new.message_count >= 2 << new.size_class
begin
  update chat_sessions set size_class = case
    when message_count >= 64 then 6 when message_count >= 32 then 5 when message_count >= 16 then 4
    when message_count >= 8 then 3 else 2 end
  where id = new.id;
end;

create trigger chat_sessions_begun after insert on chat_sessions
when new.message_count >= 4 and new.size_class < 6
  and new.message_count >= 2 << new.size_class
begin
  update chat_sessions set size_class = case
    when message_count >= 64 then 6 when message_count >= 32 then 5 when message_count >= 16 then 4
    when message_count >= 8 then 3 else 2 end
  where id = new.id;
end;
