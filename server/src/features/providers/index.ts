export { listModels, type OfferedModel, type OfferedModels } from './list-models.ts'
export { connectionCauses, type ConnectionCause } from './connection-cause.ts'
export { listProviderSettings, type ListedProvider } from './list-provider-settings.ts'
export {
  builtInProviders,
  localModel,
  localProvider,
  parseModelId,
  providerName,
  requireKnownModel,
  type ModelId,
} from './model-id.ts'
export { providerFaults } from './provider-faults.ts'
export { environmentAccess, resolveProvider } from './resolve-provider.ts'
export { setProvider, type ProviderChange, type ProviderSetting } from './set-provider.ts'
export { testProvider, type ProviderTest, type TestedProvider } from './test-provider.ts'
