update chat_sessions set
  facts = chat_session_facts(id),
  size_class = chat_size_class(message_count),
  models = coalesce((
    select case when sum(length(model) + 1) > 500 then '*'
      else chr(10) || string_agg(model, chr(10)) || chr(10) end
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
