-- A branch of a conversation inherits its summary. `root_id` is the conversation whose messages it was first made of,
-- so that deleting one of them deletes the summaries of all branches; null for a conversation with a summary of
-- its own messages alone.
alter table session_summaries add column root_id text;
create index session_summaries_by_root on session_summaries (root_id);
