export interface PaymentsSchema {
  payments: {
    id: string
    kind: 'charge' | 'refund'
    workspace_id: string
    agent_id: string
    session_id: string
    order_id: string | null
    refund_of: string | null
    provider: string
    provider_reference: string | null
    /** `stray`: money moved although nothing was bought; it is refunded. */
    status: 'pending' | 'requires_action' | 'succeeded' | 'declined' | 'voided' | 'stray'
    amount: number
    currency: string
    request_sealed: string | null
    error_code: string | null
    created_at: number
    updated_at: number
  }
}
