-- Which models answered in an agent's conversations: few different values, which share their entries.
create index chat_sessions_by_models on chat_sessions (agent_id, models);
