export { addWorkspace } from './add-workspace.ts'
export { createWorkspace } from './create-workspace.ts'
export { roleFromRow } from './from-row.ts'
export { getWorkspace, readWorkspace } from './get-workspace.ts'
export { listWorkspaces } from './list-workspaces.ts'
export { planOf, requireRoom } from './plan-of.ts'
export { readRole, roleIn } from './role-in.ts'
export { putOnPlan, updateWorkspace } from './update-workspace.ts'
export { workspaceOfRecord } from './record-workspace-store.ts'
export type { Workspace } from './workspace.ts'
export { workspaceFaults } from './workspace-faults.ts'
export { insertMembership } from './store.ts'
export {
  deleteWorkspace,
  listDeletedWorkspaces,
  restoreWorkspace,
  type DeletedWorkspace,
} from './delete-workspace.ts'
export { purgeDeleted, workspaceJobs } from './purge-deleted.ts'
