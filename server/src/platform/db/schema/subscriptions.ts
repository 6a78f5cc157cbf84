export interface SubscriptionsSchema {
  subscriptions: {
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
  billing_checkouts: {
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
  billing_events: { id: string; type: string; received_at: number }
}
