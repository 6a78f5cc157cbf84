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
    /** The owner whose workspaces share the included credits; null only in rows of an older version. */
    billing_user_id: Generated<string | null>
    /** 1: the plan was bought or assigned by an operator, so its credits are not shared. */
    plan_is_own: Generated<number>
    /** 1 if its owners must have a second factor. */
    owners_need_second_factor: Generated<number>
  }
  memberships: {
    workspace_id: string
    user_id: string
    role: string
    created_at: number
    /** When the member hid the first steps; null while they are shown. */
    first_steps_hidden_at: Generated<number | null>
    /** The ids of the agents that the member pinned. */
    pinned_agents_json: Generated<string>
  }
}
