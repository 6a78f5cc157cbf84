export { variableFaults } from './variable-faults.ts'
export { deleteVariable } from './delete-variable.ts'
export { keepSecret } from './keep-secret.ts'
export { listVariables } from './list-variables.ts'
export { openVariables, type OpenVariable, type OpenVariables } from './open-variables.ts'
export {
  addPortableVariables,
  readPortableVariables,
  type PortableVariable,
} from './portable-variables.ts'
export {
  maxVariables,
  requireRoomForVariables,
  setVariable,
  variableProblem,
} from './set-variable.ts'
export { variableKinds, variableName, variableNameFrom, type Variable } from './variable.ts'
export { listVariableNames } from './variable-store.ts'
