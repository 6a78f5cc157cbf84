-- Whose an uploaded file is, so that erasing an end user finds it: named (the upload names the person), unused,
-- one (only used for this person), several. Files from before may have been used for anyone.
alter table uploaded_files add column owner text not null default 'unused';
alter table uploaded_files add column end_user text;
update uploaded_files set owner = 'several';
create index uploaded_files_by_end_user on uploaded_files (agent_id, end_user);
