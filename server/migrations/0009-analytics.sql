-- Analytics: figures counted from conversations, actions and the ledger; ratings; the search index of
-- conversations, whose tables differ by engine.

-- How far a job has come through the rows, in the order of their time: what is older than
-- reached_at is counted (or indexed) once, what is younger not yet. Who deletes rows that were not
-- counted yet counts them first and raises the generation, so that nobody counts them again.
create table watermarks (
  name text primary key,
  reached_at bigint not null,
  generation bigint not null,
  -- Where the job began, for its progress; null until it has begun.
  began_at bigint
);

insert into watermarks (name, reached_at, generation) values ('analytics', 0, 0);
insert into watermarks (name, reached_at, generation) values ('conversation_search', 0, 0);

-- In what order rows are counted.
create index chat_messages_by_time on chat_messages (created_at);
create index action_calls_by_end on action_calls (finished_at) where finished_at is not null;

-- What was counted of an agent in one span of time, by where the conversations came in. Each row is
-- counted into three spans: a quarter of an hour (to which the days of every time zone fit), an
-- hour and a day in UTC.
create table analytics_figures (
  agent_id text not null,
  span_minutes bigint not null,
  starts_at bigint not null,
  source text not null,
  sessions bigint not null,
  messages bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cost_micros bigint not null,
  errors bigint not null,
  unanswered bigint not null,
  ratings_up bigint not null,
  ratings_down bigint not null,
  action_calls bigint not null,
  action_errors bigint not null,
  -- How many answers took how long: {"bucket": count}.
  latency_json text not null,
  first_token_json text not null,
  primary key (agent_id, span_minutes, starts_at, source)
);

-- Who wrote in a span: a number made from the end user's id, which does not lead back to it.
create table analytics_users (
  agent_id text not null,
  span_minutes bigint not null,
  starts_at bigint not null,
  source text not null,
  user_key bigint not null,
  -- In this order the different users of a span are read off without sorting.
  primary key (agent_id, span_minutes, starts_at, user_key, source)
);

create index analytics_users_by_key on analytics_users (agent_id, user_key);

-- The questions that conversations began with, by day in UTC.
create table analytics_questions (
  agent_id text not null,
  day bigint not null,
  question text not null,
  conversations bigint not null,
  primary key (agent_id, day, question)
);

create index analytics_questions_by_day on analytics_questions (day);

-- The sources that answers rested on, by day in UTC.
create table analytics_citations (
  agent_id text not null,
  day bigint not null,
  source_id text not null,
  answers bigint not null,
  primary key (agent_id, day, source_id)
);

-- What people thought of an answer; the last one wins.
create table chat_feedback (
  message_id text primary key,
  session_id text not null,
  workspace_id text not null,
  agent_id text not null,
  -- 1 or -1
  rating bigint not null,
  comment text,
  created_at bigint not null,
  updated_at bigint not null
);

create index chat_feedback_by_session on chat_feedback (session_id, message_id);

create index orders_by_time on orders (agent_id, created_at);
create index payments_refunds on payments (order_id) where kind = 'refund';
-- Conversations by whom they were with: rarely asked for, and rarely known.
create index chat_sessions_by_end_user on chat_sessions (agent_id, end_user)
where end_user is not null;
