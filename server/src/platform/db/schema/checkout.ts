export interface CheckoutSchema {
  checkout_sessions: {
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
  idempotency_records: {
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
}
