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
export type { Action } from './action.ts'
export { checkDefinition } from './check-definition.ts'
export { addAction, createAction, maxActions, prepareAction } from './create-action.ts'
export { deleteAction } from './delete-action.ts'
export { actionWorkspace, getAction } from './get-action.ts'
export { importActions } from './import-actions.ts'
export { listActions } from './list-actions.ts'
export { readPortableActions } from './portable-actions.ts'
export { offerActions } from './offer-actions.ts'
export { hasActions } from './store.ts'
export { testAction } from './test-action.ts'
export { updateAction } from './update-action.ts'
