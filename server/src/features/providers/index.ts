export { listModels, type OfferedModel, type OfferedModels } from './list-models.ts'
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
