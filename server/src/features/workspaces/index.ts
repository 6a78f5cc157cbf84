export { actingRoleIn, setFactorOfOwners } from './factor-of-owners.ts'
export { passBilling, transferBilling } from './billing-owner.ts'
export { deleteWorkspace, listDeletedWorkspaces, restoreWorkspace } from './delete-workspace.ts'
export { planOf, requireRoom } from './plan-of.ts'
export { purgeDeleted, purgeWorkspaces } from './purge-deleted.ts'
export { placeOfRecord } from './record-place-store.ts'
export { insertMembership, renameOwned } from './store.ts'
export {
  isOnSharedPlan,
  planFromRow,
  rateHolder,
  roleFromRow,
  type Workspace,
} from './workspace.ts'
export { workspaceFaults } from './workspace-faults.ts'
export {
  addWorkspace,
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  putOnPlan,
  roleIn,
  updateWorkspace,
} from './workspaces.ts'
