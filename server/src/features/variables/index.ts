export { variableFaults } from './variable-faults.ts'
export { deleteVariable } from './delete-variable.ts'
export { listVariables } from './list-variables.ts'
export { openVariables, type OpenVariable, type OpenVariables } from './open-variables.ts'
export {
  storeVariables,
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
export { isForHost, maxSecretHosts, parseHost } from './secret-hosts.ts'
export {
  listSecretsWithoutHosts,
  listUnboundAgents,
  setSecretHosts,
  type UsedHosts,
} from './variable-store.ts'
