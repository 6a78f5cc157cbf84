export interface ToolCallsSchema {
  action_calls: {
    id: string
    workspace_id: string
    agent_id: string
    session_id: string
    message_id: string
    kind: string
    source_id: string | null
    source_updated_at: number | null
    name: string
    title: string
    arguments_json: string
    provider_json: string | null
    status: string
    deadline_at: number | null
    http_status: number | null
    error_code: string | null
    error: string | null
    duration_ms: number | null
    response_excerpt: string | null
    created_at: number
    finished_at: number | null
  }
}
