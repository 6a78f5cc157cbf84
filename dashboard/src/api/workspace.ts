import { createContext, use } from 'react'
import type { Role, Workspace } from './me.ts'

export const WorkspaceContext = createContext<Workspace | null>(null)

/** The workspace of the current page. Its id is the `workspace_id` of inputs. */
export function useWorkspace(): Workspace {
  const workspace = use(WorkspaceContext)
  if (workspace === null) throw new Error('useWorkspace() is only available inside the shell')
  return workspace
}

const roles: readonly Role[] = ['viewer', 'editor', 'admin', 'owner']

/** Whether the signed-in member has at least this role: hide what they may not do. */
export function useMay(least: Role): boolean {
  return isAtLeast(useWorkspace().role, least)
}

/** Each role may do everything that the roles below it may do. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}
