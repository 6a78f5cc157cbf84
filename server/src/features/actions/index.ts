export { callStatuses, listActionCalls, type ActionCall, type CallStatus } from './action-call.ts'
export {
  actionDefinition,
  actionFields,
  actionName,
  actionPatch,
  parameterFields,
  type ActionDefinition,
  type NewAction,
} from './action-definition.ts'
export { actionFaults } from './action-faults.ts'
export type { Action, LastTest } from './action.ts'
export { addToolServer, maxToolServers, type NewToolServer } from './add-tool-server.ts'
export { checkDefinition } from './check-definition.ts'
export { createAction, maxActions } from './create-action.ts'
export { deleteSessionCalls } from './delete-session-calls.ts'
export { deleteAction } from './delete-action.ts'
export { actionWorkspace, getAction } from './get-action.ts'
export { importActions, type Import, type ImportRequest } from './import-actions.ts'
export { listActions } from './list-actions.ts'
export { listToolServers, toolServerWorkspace } from './list-tool-servers.ts'
export { openToolbox } from './open-toolbox.ts'
export {
  addPreparedActions,
  prepareActions,
  readPortableActions,
  withoutSecrets,
  type PortableActions,
} from './portable-actions.ts'
export { removeToolServer } from './remove-tool-server.ts'
export { settleAwaiting } from './settle-awaiting.ts'
export { hasTools } from './store.ts'
export { testAction, type TestRun } from './test-action.ts'
export type { ToolboxContext, ToolTurn } from './tool-turn.ts'
export type { Toolbox } from './toolbox.ts'
export { toolServerName, type ToolServer } from './tool-server.ts'
export { updateAction } from './update-action.ts'
