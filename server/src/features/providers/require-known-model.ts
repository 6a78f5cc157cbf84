import { Fault } from '#kernel/fault.ts'
import { parseModelId, type ModelId } from '#kernel/model-id.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { providerFaults } from './provider-faults.ts'
import { findProvider } from './store.ts'

type Providers = Pick<Context['config'], 'providers'>

/**
 * A step: the instance or the workspace knows the model's provider. The provider may still lack a
 * key: an agent can be written before its key is set.
 *
 * @returns the id in its only spelling
 * @throws Fault model_unknown
 */
export async function requireKnownModel(
  reader: Reader,
  config: Providers,
  workspaceId: string,
  id: string,
): Promise<string> {
  const parsed = parseModelId(config, id)
  if (parsed !== null && (await isKnown(reader, config, workspaceId, parsed))) return parsed.id
  throw new Fault(providerFaults.model_unknown, { model: id })
}

async function isKnown(
  reader: Reader,
  { providers }: Providers,
  workspaceId: string,
  { provider, model }: ModelId,
): Promise<boolean> {
  const builtIn = providers.get(provider)
  if (builtIn !== undefined) return builtIn.models?.includes(model) ?? true
  return (await findProvider(reader, workspaceId, provider)) !== undefined
}
