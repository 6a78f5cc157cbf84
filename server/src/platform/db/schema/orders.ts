export interface OrdersSchema {
  orders: {
    id: string
    workspace_id: string
    agent_id: string
    session_id: string
    /** Consecutive within the agent, from 1001. */
    number: number
    status: string
    is_test: number
    currency: string
    total_amount: number
    document_json: string
    /** The unguessable part of the buyer's link to the receipt. */
    receipt_key: string
    created_at: number
    updated_at: number
  }
  order_numbers: { agent_id: string; next_value: number }
}
