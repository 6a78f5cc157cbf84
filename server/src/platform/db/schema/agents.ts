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
    /** Where people find it; '' for no folder. */
    folder: Generated<string>
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
  /** Changes that are not published; no row for an agent without any. */
  agent_drafts: {
    agent_id: string
    revision: string
    changes_json: string
    author_id: string
    updated_at: number
  }
}
