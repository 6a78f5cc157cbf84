import type { Generated } from 'kysely'

export interface WorkspacesSchema {
  workspaces: {
    id: string
    name: string
    plan: string
    created_at: number
    updated_at: number
    deleted_at: number | null
    deleted_by: Generated<string | null>
    /** From here on its rows are being deleted. */
    purge_began_at: Generated<number | null>
  }
  memberships: { workspace_id: string; user_id: string; role: string; created_at: number }
}
