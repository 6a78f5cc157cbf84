-- Commerce: what an agent sells and how, checkout sessions, payments, orders, order webhooks; and jobs,
-- which every feature may enqueue.

create table commerce_settings (
  agent_id text primary key references agents (id),
  workspace_id text not null references workspaces (id),
  settings_json text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create table products (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  name text not null,
  description text not null,
  sku text,
  price_amount bigint not null,
  currency text not null,
  images_json text not null,
  categories_json text not null,
  -- Null is not counted. What is promised to a running payment is already taken off.
  stock bigint check (stock >= 0),
  fulfillment_type text not null,
  tax_code text,
  active bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);

create index products_by_agent on products (agent_id, id) where deleted_at is null;
create index products_on_sale on products (agent_id, id) where deleted_at is null and active = 1;
create unique index products_by_sku on products (agent_id, sku) where deleted_at is null;

-- The words of a product, folded: a search finds those that begin with each word asked for.
create table product_terms (
  agent_id text not null,
  term text not null,
  product_id text not null references products (id) on delete cascade,
  primary key (agent_id, term, product_id)
);

create index product_terms_by_product on product_terms (product_id);

create table checkout_sessions (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  api_key_id text not null references api_keys (id),
  status text not null,
  currency text not null,
  choices_json text not null,
  quote_json text not null,
  payment_id text,
  order_id text,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null
);

create index checkout_sessions_by_agent on checkout_sessions (agent_id, id);
create index checkout_sessions_by_expiry on checkout_sessions (expires_at)
  where status in ('not_ready_for_payment', 'ready_for_payment', 'authentication_required');

-- An attempt to move money: the intent is committed before the provider is asked, its id is the
-- provider's idempotency key, the outcome is committed after.
create table payments (
  id text primary key,
  kind text not null,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  session_id text not null references checkout_sessions (id),
  order_id text,
  refund_of text references payments (id),
  provider text not null,
  provider_reference text,
  status text not null,
  amount bigint not null,
  currency text not null,
  -- What is needed to ask the provider again, sealed; null once the outcome is known.
  request_sealed text,
  error_code text,
  created_at bigint not null,
  updated_at bigint not null
);

-- At most one charge of a session is running or done, whatever the code above does.
create unique index payments_one_charge on payments (session_id)
  where kind = 'charge' and status in ('pending', 'succeeded');
create index payments_by_session on payments (session_id, id);
create index payments_by_reference on payments (provider_reference);

create table order_numbers (
  agent_id text primary key references agents (id),
  next_value bigint not null
);

create table orders (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  session_id text not null unique references checkout_sessions (id),
  number bigint not null,
  status text not null,
  is_test bigint not null,
  currency text not null,
  total_amount bigint not null,
  document_json text not null,
  receipt_key text not null unique,
  created_at bigint not null,
  updated_at bigint not null,
  unique (agent_id, number)
);

create index orders_by_agent on orders (agent_id, id);

create table idempotency_records (
  identity text not null,
  path text not null,
  key text not null,
  request_hash text not null,
  -- Null while the request is in flight.
  outcome_json text,
  payment_id text,
  lease_until bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (identity, path, key)
);

create index idempotency_records_by_expiry on idempotency_records (expires_at);
create index idempotency_records_by_payment on idempotency_records (payment_id);

create table webhook_endpoints (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null references agents (id),
  url text not null,
  secret_sealed text not null,
  created_at bigint not null,
  deleted_at bigint
);

create index webhook_endpoints_by_agent on webhook_endpoints (agent_id, id) where deleted_at is null;

create table webhook_deliveries (
  id text primary key,
  workspace_id text not null references workspaces (id),
  agent_id text not null,
  endpoint_id text not null references webhook_endpoints (id),
  order_id text not null references orders (id),
  event_type text not null,
  payload text not null,
  status text not null,
  attempts bigint not null,
  response_status bigint,
  error text,
  next_attempt_at bigint,
  created_at bigint not null,
  delivered_at bigint
);

create index webhook_deliveries_by_agent on webhook_deliveries (agent_id, id);
create index webhook_deliveries_by_order on webhook_deliveries (order_id, id);

create table jobs (
  id text primary key,
  kind text not null,
  key text,
  workspace_id text,
  input_json text not null,
  status text not null,
  -- When it is due; while it runs, when its lease ends: a worker that died is due again by itself.
  run_at bigint not null,
  rerun_at bigint,
  attempts bigint not null,
  lease_token text,
  last_error text,
  created_at bigint not null,
  updated_at bigint not null,
  finished_at bigint
);

create index jobs_due on jobs (run_at) where finished_at is null;
create unique index jobs_by_key on jobs (kind, key) where finished_at is null;
create index jobs_finished on jobs (finished_at) where finished_at is not null;
