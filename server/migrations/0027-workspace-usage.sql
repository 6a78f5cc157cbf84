-- What a workspace's conversations and analytics hold, so that no turn and no list has to count rows.
-- The messages are those before the watermark of analytics: the job that moves it adds them, and
-- deletions subtract them.
create table workspace_usage (
  workspace_id text primary key,
  messages bigint not null,
  -- Of contents, parts and citations.
  message_bytes bigint not null,
  -- Rows of analytics_users.
  analytics_users bigint not null,
  -- When all three were last compared with the rows; 0 if never.
  compared_at bigint not null
);
