import { useSearch } from '@tanstack/react-router'
import type { Me, Workspace } from '#api/me.ts'

/** The workspace that the address names, else the person's own; null for a member of none. */
export function useCurrentWorkspace(me: Me): Workspace | null {
  const { workspace } = useSearch({ strict: false })
  const named = me.workspaces.find(({ id }) => id === workspace)
  const own = me.workspaces.find(({ id }) => id === me.default_workspace_id)
  return named ?? own ?? me.workspaces[0] ?? null
}
