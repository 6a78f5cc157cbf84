import { createContext, use } from 'react'
import type { Role, Workspace } from './me.ts'

export const WorkspaceContext = createContext<Workspace | null>(null)

/** The workspace that the page is about; its id goes into inputs as `workspace_id`. */
export function useWorkspace(): Workspace {
  const workspace = use(WorkspaceContext)
  if (workspace === null) throw new Error('useWorkspace() is for what stands inside the shell')
  return workspace
}

const roles: readonly Role[] = ['viewer', 'editor', 'admin', 'owner']

/** Whether the person has at least this role here: hide what they may not do. */
export function useMay(least: Role): boolean {
  const { role } = useWorkspace()
  return roles.indexOf(role) >= roles.indexOf(least)
}
