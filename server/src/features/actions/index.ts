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
export { deleteAction } from './delete-action.ts'
export { actionWorkspace, getAction } from './get-action.ts'
export { importActions, type Import, type ImportRequest } from './import-actions.ts'
export { listActions } from './list-actions.ts'
export { listToolServers, toolServerWorkspace } from './list-tool-servers.ts'
export {
  addPreparedActions,
  prepareActions,
  readPortableActions,
  withoutSecrets,
  type PortableActions,
} from './portable-actions.ts'
export { offerActions } from './offer-actions.ts'
export { offerRemoteTools } from './offer-remote-tools.ts'
export { removeToolServer } from './remove-tool-server.ts'
export { hasTools } from './store.ts'
export { testAction, type TestRun } from './test-action.ts'
export { toolServerName, type ToolServer } from './tool-server.ts'
export { updateAction } from './update-action.ts'
