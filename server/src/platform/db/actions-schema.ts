/** What agents do and did: the tables of 0004-actions.sql. */
export interface ActionsSchema {
  custom_actions: CustomActionsTable
  agent_variables: AgentVariablesTable
  tool_servers: ToolServersTable
  action_calls: ActionCallsTable
}

export interface CustomActionsTable {
  id: string
  workspace_id: string
  agent_id: string
  name: string
  enabled: number
  definition_json: string
  last_test_json: string | null
  created_at: number
  updated_at: number
}

export interface AgentVariablesTable {
  agent_id: string
  name: string
  workspace_id: string
  kind: string
  description: string
  value_json: string | null
  /** AES-256-GCM, sealed by the vault. */
  value_sealed: string | null
  hosts_json: string | null
  created_at: number
  updated_at: number
}

export interface ToolServersTable {
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

export interface ActionCallsTable {
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
