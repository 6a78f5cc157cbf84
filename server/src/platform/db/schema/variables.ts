import type { Generated } from 'kysely'

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
    /** 1: derived from the agent's actions, and the host of one of them was not known. */
    hosts_incomplete: Generated<number>
    created_at: number
    updated_at: number
  }
}
