-- For the job that deletes the rows that have ended.
create index joined_visitors_by_end on joined_visitors (ends_at);
