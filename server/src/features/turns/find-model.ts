import { resolveProvider } from '#features/providers/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Models } from '#platform/models/model.ts'
import type { AgentModel } from './agent-model.ts'
import { requireAbilities } from './message-parts.ts'
import { ownMessages, type SessionRequest } from './session-request.ts'
import { turnFaults as faults } from './turn-faults.ts'

/**
 * The model that answers this turn and how to reach it.
 *
 * @throws Fault model_invalid, model_not_configured, images_not_supported, audio_not_supported,
 *   files_not_supported
 */
export async function modelOf(
  ctx: Pick<Context, 'db' | 'config' | 'vault' | 'models'>,
  request: SessionRequest,
): Promise<AgentModel> {
  const { agent, messages } = request
  const found = await findModel(ctx, agent, agent.settings.model)
  if (found instanceof Fault) throw found
  if (messages.some(({ parts }) => parts !== undefined))
    requireAbilities(found, agent.appNameId, ownMessages(request))
  return found
}

/** @returns a Fault model_invalid or model_not_configured if the agent cannot be answered by this model */
export async function findModel(
  ctx: Pick<Context, 'db' | 'config' | 'vault'> & { readonly models: Pick<Models, 'abilities'> },
  agent: SessionRequest['agent'],
  wanted: string,
): Promise<AgentModel | Fault> {
  const parsed = parseModelId(ctx.config, wanted)
  // Stored before ids were checked, or by a version that allowed more.
  if (parsed === null) return new Fault(faults.model_invalid, { model: wanted })
  const { provider, model, id } = parsed
  const access =
    agent.hasOwnProviders === false
      ? (ctx.config.providers.get(provider)?.access ?? null)
      : await resolveProvider(ctx, agent.workspaceId, provider)
  if (access === null) return new Fault(faults.model_not_configured, { provider })
  const { vision, audio, fetchesImages } = ctx.models.abilities(provider, model)
  return { id, model, access, sees: vision, hears: audio, fetches: fetchesImages }
}
