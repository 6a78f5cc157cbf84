import type { Generated } from 'kysely'

export interface WebhooksSchema {
  webhook_endpoints: {
    id: string
    workspace_id: string
    agent_id: string
    /** If `url_sealed` is set, only its host and path, in a form that nothing is sent to. */
    url: string
    url_sealed: Generated<string | null>
    secret_sealed: string
    created_at: number
    deleted_at: number | null
  }
  webhook_deliveries: {
    id: string
    workspace_id: string
    agent_id: string
    endpoint_id: string
    order_id: string
    event_type: 'order_create' | 'order_update'
    payload: string
    status: 'pending' | 'delivered' | 'failed'
    attempts: number
    /** The status of the last attempt; null if the endpoint did not respond. */
    response_status: number | null
    error: string | null
    next_attempt_at: number | null
    created_at: number
    delivered_at: number | null
  }
}
