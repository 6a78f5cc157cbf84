import type { Generated } from 'kysely'

export interface AgentsSchema {
  agents: {
    id: string
    workspace_id: string
    number: number
    app_name_id: string
    name: string
    settings_json: string
    version: number
    created_at: number
    updated_at: number
    deleted_at: number | null
    /** When what it knew and said was deleted. */
    purged_at: Generated<number | null>
  }
  agent_versions: {
    agent_id: string
    version: number
    settings_json: string
    author_id: string
    note: string | null
    created_at: number
  }
}
