import type { CamelKeys } from '#kernel/key-case.ts'
import { readAgentSettings, type AgentSettings } from './agent-settings.ts'
import type { AgentRow } from './store.ts'

export interface Agent extends Pick<
  CamelKeys<AgentRow>,
  'id' | 'appNameId' | 'workspaceId' | 'version' | 'createdAt' | 'updatedAt'
> {
  readonly settings: AgentSettings
}

/** The person who changes an agent, and becomes the author of its version. */
export interface Author {
  readonly userId: string
  readonly workspaceId: string
}

export function agentFromRow(row: AgentRow): Agent {
  return {
    id: row.id,
    appNameId: row.app_name_id,
    workspaceId: row.workspace_id,
    settings: readAgentSettings(row.settings_json),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
