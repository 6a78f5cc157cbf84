-- Answers of models that had no price. The version before leaves them at 0.
alter table analytics_figures add column unpriced_answers bigint not null default 0;
