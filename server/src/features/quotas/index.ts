export { countChange } from './count-change.ts'
export { ownsFirstWorkspace, rememberFirstWorkspace } from './operator-store.ts'
export { quotaFaults } from './quota-faults.ts'
export {
  hasWorkspaceRoom,
  requireNewWorkspaceRoom,
  requireWorkspaceRoom,
} from './workspace-room.ts'
export { listLimits } from './list-limits.ts'
export { limitReached } from './limit-reached.ts'
export { hasRecordRoom, requireRecordRoom } from './require-record-room.ts'
