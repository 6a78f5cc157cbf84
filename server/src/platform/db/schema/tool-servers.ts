export interface ToolServersSchema {
  tool_servers: {
    id: string
    workspace_id: string
    agent_id: string
    name: string
    url: string
    /** AES-256-GCM, sealed by the vault; null without headers. */
    headers_sealed: string | null
    header_names_json: string
    allowed_tools_json: string | null
    requires_confirmation: number
    timeout_ms: number
    tools_json: string
    listed_at: number
    error_code: string | null
    created_at: number
    updated_at: number
  }
}
