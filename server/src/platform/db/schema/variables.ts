export interface VariablesSchema {
  agent_variables: {
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
}
