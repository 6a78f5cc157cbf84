/** The tables of 0003-commerce. */
export interface CommerceSchema {
  commerce_settings: {
    agent_id: string
    workspace_id: string
    settings_json: string
    created_at: number
    updated_at: number
  }
  products: ProductsTable
  product_terms: { agent_id: string; term: string; product_id: string }
  checkout_sessions: CheckoutSessionsTable
  payments: PaymentsTable
  order_numbers: { agent_id: string; next_value: number }
  orders: OrdersTable
  idempotency_records: IdempotencyRecordsTable
  webhook_endpoints: WebhookEndpointsTable
  webhook_deliveries: WebhookDeliveriesTable
  jobs: JobsTable
}

export interface ProductsTable {
  id: string
  workspace_id: string
  agent_id: string
  name: string
  description: string
  sku: string | null
  price_amount: number
  currency: string
  images_json: string
  categories_json: string
  /** Null is not counted. */
  stock: number | null
  fulfillment_type: 'digital' | 'shipping' | 'pickup' | 'none'
  tax_code: string | null
  active: number
  created_at: number
  updated_at: number
  deleted_at: number | null
}

export interface CheckoutSessionsTable {
  id: string
  workspace_id: string
  agent_id: string
  api_key_id: string
  status: string
  currency: string
  choices_json: string
  quote_json: string
  /** The last attempt to pay. */
  payment_id: string | null
  order_id: string | null
  created_at: number
  updated_at: number
  expires_at: number
}

export interface PaymentsTable {
  id: string
  kind: 'charge' | 'refund'
  workspace_id: string
  agent_id: string
  session_id: string
  order_id: string | null
  refund_of: string | null
  provider: string
  provider_reference: string | null
  /** `stray`: the money moved although nothing was bought; it is given back. */
  status: 'pending' | 'requires_action' | 'succeeded' | 'declined' | 'voided' | 'stray'
  amount: number
  currency: string
  request_sealed: string | null
  error_code: string | null
  created_at: number
  updated_at: number
}

export interface OrdersTable {
  id: string
  workspace_id: string
  agent_id: string
  session_id: string
  number: number
  status: string
  is_test: number
  currency: string
  total_amount: number
  document_json: string
  receipt_key: string
  created_at: number
  updated_at: number
}

export interface IdempotencyRecordsTable {
  identity: string
  path: string
  key: string
  request_hash: string
  outcome_json: string | null
  payment_id: string | null
  lease_until: number
  created_at: number
  expires_at: number
}

export interface WebhookEndpointsTable {
  id: string
  workspace_id: string
  agent_id: string
  url: string
  secret_sealed: string
  created_at: number
  deleted_at: number | null
}

export interface WebhookDeliveriesTable {
  id: string
  workspace_id: string
  agent_id: string
  endpoint_id: string
  order_id: string
  event_type: 'order_create' | 'order_update'
  payload: string
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  response_status: number | null
  error: string | null
  next_attempt_at: number | null
  created_at: number
  delivered_at: number | null
}

export interface JobsTable {
  id: string
  kind: string
  /** Of live jobs of a kind, at most one has a given key. */
  key: string | null
  workspace_id: string | null
  input_json: string
  status: 'queued' | 'running' | 'done' | 'failed'
  run_at: number
  rerun_at: number | null
  attempts: number
  lease_token: string | null
  last_error: string | null
  created_at: number
  updated_at: number
  finished_at: number | null
}
