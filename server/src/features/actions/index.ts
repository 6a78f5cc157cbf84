export {
  actionDefinition,
  actionMethods,
  actionPatch,
  valueTypes,
  type ActionDefinition,
  type ActionParameter,
  type NewAction,
  type ValueType,
} from './request/action-definition.ts'
export { bindSecrets } from './bind-secrets.ts'
export { hostsByVariable } from './secret-use.ts'
export { actionFaults } from './action-faults.ts'
export type { Action } from './action.ts'
export { keptSchema } from './request/argument-schema.ts'
export { checkDefinition } from './check-definition.ts'
export {
  addAction,
  createAction,
  maxActions,
  prepareAction,
  requireRoomForActions,
} from './create-action.ts'
export { deleteAction } from './delete-action.ts'
export { decodedOrSame, type WithoutCredentials } from './move-credentials.ts'
export { offerActions } from './offer-actions.ts'
export { getAction, listActions, readPortableActions } from './read-actions.ts'
export { enabledActionNames, listActionNames } from './store.ts'
export { namesIn, referencesIn, wholeReference } from './request/template.ts'
export { testAction } from './test-action.ts'
export { updateAction } from './update-action.ts'
