-- What responses repeat of their requests counts towards the bytes of a workspace: the job that counts reads them
-- in the order of time. The usage so far is compared with the rows once more.
create index chat_responses_by_time on chat_responses (created_at);
update workspace_usage set compared_at = 0;
