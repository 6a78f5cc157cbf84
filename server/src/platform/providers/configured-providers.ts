import type { ModelNames } from '#kernel/model-id.ts'
import type { ProviderAccess } from '#platform/models/model.ts'
import type { Provider } from './provider.ts'
import { providers } from './providers.ts'

/** A provider that every instance knows, as the environment configures it. */
export interface ConfiguredProvider {
  /** How the environment reaches it; null where the environment does not say enough. */
  readonly access: ProviderAccess | null
  /** The environment's address, or the provider's own; null where there is neither. */
  readonly baseUrl: string | null
  readonly modelNames: ModelNames
  /** All its models, for the provider inside Parley; null where the provider lists them itself. */
  readonly models: readonly string[] | null
  /** It runs on the operator's own machines: its models cost nothing unless they are priced. */
  readonly isSelfHosted: boolean
}

/** @param valueOf the value of an environment variable */
export function configuredProviders(
  valueOf: (variable: string) => string | undefined,
): ReadonlyMap<string, ConfiguredProvider> {
  return new Map(providers.map((provider) => [provider.name, configured(provider, valueOf)]))
}

function configured(
  { name, variables, address, modelNames, models }: Provider,
  valueOf: (variable: string) => string | undefined,
): ConfiguredProvider {
  const value = (variable?: { readonly name: string }) => variable && valueOf(variable.name)
  const apiKey = value(variables.apiKey) ?? null
  const baseUrl = value(variables.baseUrl) ?? address
  const isKeyMissing = variables.apiKey !== undefined && apiKey === null
  const isReachable = models !== undefined || (baseUrl !== null && !isKeyMissing)
  const access = isReachable ? { provider: name, apiKey, baseUrl, trusted: true } : null
  const isSelfHosted = address === null
  return { access, baseUrl, modelNames, models: models ?? null, isSelfHosted }
}
