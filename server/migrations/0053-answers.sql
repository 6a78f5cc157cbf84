-- Answers that editors wrote for a question. They are texts whose passages outrank others, so their kind stays
-- `text`: the version before reads them as such during an upgrade.
alter table knowledge_sources add column is_answer bigint not null default 0;

-- Whether an agent has answers is read in every turn that searches.
create index knowledge_answers_by_agent on knowledge_sources (agent_id) where is_answer = 1;
