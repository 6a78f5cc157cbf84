import { Fault } from '#kernel/fault.ts'
import type { Reader } from '#platform/db/database.ts'
import { providerFaults } from './provider-faults.ts'
import { findProvider } from './store.ts'

/** The provider inside Parley: needs no network and no key. */
export const localProvider = 'local'
export const localModel = 'local/extractive'

/** Providers that every instance knows; a workspace can add others that speak the OpenAI format. */
export const builtInProviders = [localProvider, 'openai', 'ollama', 'anthropic', 'google'] as const

/** A provider's name: lowercase, because it is the first part of a model id. */
export const providerName = /^[a-z][a-z0-9-]{0,39}$/
const modelId = /^([a-z][a-z0-9-]{0,39})\/(\S(?:.*\S)?)$/

export interface ModelId {
  readonly provider: string
  /** What the provider itself calls the model; may hold further slashes. */
  readonly model: string
}

/** Splits `<provider>/<model>` at its first slash; null when it has not that form. */
export function parseModelId(id: string): ModelId | null {
  const [, provider, model] = modelId.exec(id) ?? []
  return provider === undefined || model === undefined ? null : { provider, model }
}

/**
 * A step: the model's provider is one that the instance or the workspace knows. Whether it has a
 * key is not asked: an agent may be written before its key is set.
 *
 * @throws Fault model_unknown
 */
export async function requireKnownModel(
  reader: Reader,
  workspaceId: string,
  id: string,
): Promise<void> {
  const parsed = parseModelId(id)
  if (parsed !== null && (await isKnown(reader, workspaceId, parsed.provider, id))) return
  throw new Fault(providerFaults.model_unknown, { model: id })
}

async function isKnown(reader: Reader, workspaceId: string, provider: string, id: string) {
  if (provider === localProvider) return id === localModel
  if (isBuiltIn(provider)) return true
  return (await findProvider(reader, workspaceId, provider)) !== undefined
}

export function isBuiltIn(provider: string): boolean {
  return builtInProviders.some((name) => name === provider)
}
