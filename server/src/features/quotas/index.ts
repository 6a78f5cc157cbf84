export { allowedOf } from './allowed.ts'
export { ownsFirstWorkspace, rememberFirstWorkspace } from './operator-store.ts'
export { quotaFaults } from './quota-faults.ts'
export {
  hasWorkspaceRoom,
  requireNewWorkspaceRoom,
  requireWorkspaceRoom,
} from './workspace-room.ts'
