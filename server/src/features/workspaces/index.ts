export { addWorkspace, createWorkspace } from './create-workspace.ts'
export {
  deleteWorkspace,
  listDeletedWorkspaces,
  restoreWorkspace,
  type DeletedWorkspace,
} from './delete-workspace.ts'
export { getWorkspace, roleIn } from './get-workspace.ts'
export { listWorkspaces } from './list-workspaces.ts'
export { planOf, requireRoom } from './plan-of.ts'
export { purgeDeleted, purgeWorkspaces } from './purge-deleted.ts'
export { workspaceOfRecord } from './record-workspace-store.ts'
export { insertMembership } from './store.ts'
export { putOnPlan, updateWorkspace } from './update-workspace.ts'
export { planFromRow, roleFromRow, type Workspace } from './workspace.ts'
export { workspaceFaults } from './workspace-faults.ts'
