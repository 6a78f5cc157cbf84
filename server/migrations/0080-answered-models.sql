-- The models that answered an agent's turns, by day in UTC and channel.
create table analytics_models (
  agent_id text not null,
  day bigint not null,
  model text not null,
  source text not null,
  turns bigint not null,
  -- Of these, those whose model had no price.
  unpriced bigint not null,
  cost_micros bigint not null,
  primary key (agent_id, day, model, source)
);
