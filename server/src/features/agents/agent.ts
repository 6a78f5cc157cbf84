import type { Actor } from '#kernel/actor.ts'
import type { CamelKeys } from '#kernel/key-case.ts'
import { readAgentSettings, type AgentSettings } from './agent-settings.ts'
import type { AgentRow } from './store.ts'

export interface Agent extends Pick<
  CamelKeys<AgentRow>,
  'id' | 'appNameId' | 'workspaceId' | 'folder' | 'version' | 'createdAt' | 'updatedAt'
> {
  readonly settings: AgentSettings
}

/** The person who changes an agent, and becomes the author of its version. */
export type Author = Pick<Actor, 'userId' | 'workspaceId'>

export function agentFromRow(row: AgentRow): Agent {
  return {
    id: row.id,
    appNameId: row.app_name_id,
    workspaceId: row.workspace_id,
    folder: row.folder,
    settings: readAgentSettings(row.settings_json),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
