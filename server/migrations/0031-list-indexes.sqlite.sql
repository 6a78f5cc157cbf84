update chat_sessions set
  facts = exists (
    select 1 from chat_messages as message
    where message.session_id = chat_sessions.id and message.error_code is not null
  ) | (2 * exists (
    select 1 from chat_messages as message
    where message.session_id = chat_sessions.id and message.citations_json = '[]'
      and message.error_code is null and not exists (
        select 1 from action_calls as call
        where call.session_id = message.session_id and call.message_id = message.id
      )
  )) | (4 * exists (
    select 1 from chat_feedback where session_id = chat_sessions.id and rating > 0
  )) | (8 * exists (
    select 1 from chat_feedback where session_id = chat_sessions.id and rating < 0
  )),
  size_class = case
    when message_count >= 64 then 6 when message_count >= 32 then 5 when message_count >= 16 then 4
    when message_count >= 8 then 3 when message_count >= 4 then 2 else 1 end,
  models = coalesce((
    select case when sum(length(model) + 1) > 500 then '*'
      else char(10) || group_concat(model, char(10)) || char(10) end
    from (
      select distinct message.model from chat_messages as message
      where message.session_id = chat_sessions.id and message.model is not null
    ) as used
  ), '');

create index chat_sessions_by_facts
  on chat_sessions (agent_id, created_at, id, source, facts, size_class, models);
drop index chat_sessions_by_agent;

create index chat_sessions_of_end_user on chat_sessions (agent_id, end_user, created_at, id)
where end_user is not null;
drop index chat_sessions_by_end_user;
