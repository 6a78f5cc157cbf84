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

/**
 * A step: `requireKnownModel` for the models that an agent's settings name.
 *
 * @returns those of the settings that name models, with ids in their only spelling
 */
export async function requireKnownModels<Named extends NamedModels>(
  reader: Reader,
  config: Providers,
  workspaceId: string,
  { model, fallback_models, memory_model }: Named,
): Promise<Pick<Named, keyof NamedModels>> {
  const known = (id: string) => requireKnownModel(reader, config, workspaceId, id)
  const found: { model?: string; fallback_models?: string[]; memory_model?: string } = {}
  if (model !== undefined) found.model = await known(model)
  if (fallback_models !== undefined) {
    found.fallback_models = []
    for (const id of fallback_models) found.fallback_models.push(await known(id))
  }
  // Null stands for the agent's own model.
  if (typeof memory_model === 'string') found.memory_model = await known(memory_model)
  return found
}

interface NamedModels {
  readonly model?: string | undefined
  readonly fallback_models?: readonly string[] | undefined
  readonly memory_model?: string | null | undefined
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
