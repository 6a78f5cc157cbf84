-- The widget: an agent's chat page within the pages of other sites.

-- Public; names the agent. Null for a page that an earlier release has set up.
alter table chat_pages add column widget_key text;
create unique index chat_pages_by_widget_key on chat_pages (widget_key);

-- How often sites have loaded the widget, and how often a visitor has opened it there.
create table widget_loads (
  agent_id text not null references agents (id),
  workspace_id text not null references workspaces (id),
  day bigint not null,
  -- Empty for all sites that may not embed it.
  origin text not null,
  loads bigint not null,
  visits bigint not null,
  primary key (agent_id, day, origin)
);
