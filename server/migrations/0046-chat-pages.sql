-- The public chat page of an agent.

create table chat_pages (
  agent_id text primary key references agents (id),
  workspace_id text not null references workspaces (id),
  settings_json text not null,
  -- Part of the page's address if only people with the link may open it.
  link_token text not null,
  -- Visitor tokens with another number are no longer valid.
  generation bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);

-- What an agent's visitors have used of its budget on one day.
create table chat_page_budgets (
  agent_id text primary key references agents (id),
  day bigint not null,
  messages bigint not null
);
