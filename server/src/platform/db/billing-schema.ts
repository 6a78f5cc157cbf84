/**
 * Credits, caps, prices and subscriptions: the tables of 0007-billing.sql and 0011-ledger-stays.sql.
 * Amounts are micros.
 */
export interface BillingSchema {
  credit_entries: CreditEntriesTable
  credit_caps: CreditCapsTable
  credit_windows: CreditWindowsTable
  credit_reservations: CreditReservationsTable
  credit_prices: CreditPricesTable
  subscriptions: SubscriptionsTable
  billing_checkouts: BillingCheckoutsTable
  billing_events: { id: string; type: string; received_at: number }
}

export interface CreditEntriesTable {
  id: string
  workspace_id: string
  kind: string
  /** Negative for what was used. */
  amount_micros: number
  agent_id: string | null
  session_id: string | null
  message_id: string | null
  key_id: string | null
  end_user: string | null
  model: string | null
  prompt_tokens: number | null
  completion_tokens: number | null
  idempotency_key: string | null
  note: string | null
  /** The moment whose day and month it counts to. */
  counted_at: number
  created_at: number
}

export interface CreditCapsTable {
  id: string
  workspace_id: string
  subject: string
  subject_id: string
  period: string
  amount_micros: number
  created_by: string
  created_at: number
  updated_at: number
}

export interface CreditWindowsTable {
  id: string
  workspace_id: string
  subject: string
  subject_id: string
  period: string
  starts_at: number
  ends_at: number
  limit_micros: number
  used_micros: number
}

export interface CreditReservationsTable {
  turn_id: string
  window_id: string
  workspace_id: string
  amount_micros: number
  expires_at: number
}

export interface CreditPricesTable {
  id: string
  pattern: string
  prompt_micros_per_million: number | null
  completion_micros_per_million: number | null
  call_micros: number | null
  valid_from: number
  created_by: string
  created_at: number
}

export interface SubscriptionsTable {
  workspace_id: string
  customer_id: string
  subscription_id: string | null
  status: string
  plan: string | null
  period_starts_at: number | null
  period_ends_at: number | null
  cancels_at: number | null
  created_at: number
  updated_at: number
}

export interface BillingCheckoutsTable {
  id: string
  workspace_id: string
  user_id: string
  plan: string | null
  credits_micros: number | null
  provider_id: string | null
  completed_at: number | null
  created_at: number
  closed_at: number | null
}
