import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { providerFaults } from './provider-faults.ts'
import { findProvider } from './store.ts'

/** A provider's name: lowercase, as the first part of a model id is. */
export const providerName = /^[a-z][a-z0-9-]{0,39}$/
const modelId = /^([a-z][a-z0-9-]{0,39})\/(\S(?:.*\S)?)$/

export interface ModelId {
  readonly provider: string
  /** The provider's own name for the model; may contain further slashes. */
  readonly model: string
}

/** Splits `<provider>/<model>` at its first slash; null when the id has another form. */
export function parseModelId(id: string): ModelId | null {
  const [, provider, model] = modelId.exec(id) ?? []
  return provider === undefined || model === undefined ? null : { provider, model }
}

/**
 * A step: the instance or the workspace knows the model's provider. The provider may still lack a
 * key: an agent can be written before its key is set.
 *
 * @throws Fault model_unknown
 */
export async function requireKnownModel(
  reader: Reader,
  config: Context['config'],
  workspaceId: string,
  id: string,
): Promise<void> {
  const parsed = parseModelId(id)
  if (parsed !== null && (await isKnown(reader, config, workspaceId, parsed))) return
  throw new Fault(providerFaults.model_unknown, { model: id })
}

async function isKnown(
  reader: Reader,
  { providers }: Context['config'],
  workspaceId: string,
  { provider, model }: ModelId,
): Promise<boolean> {
  const builtIn = providers.get(provider)
  if (builtIn !== undefined) return builtIn.models?.includes(model) ?? true
  return (await findProvider(reader, workspaceId, provider)) !== undefined
}
