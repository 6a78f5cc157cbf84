import { environmentAccess, resolveProvider } from '#features/providers/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { ProviderAccess } from '#platform/models/model.ts'
import { turnFaults as faults } from './turn-faults.ts'
import type { SessionRequest } from './open-session.ts'

export interface AgentModel {
  /** The model id after the provider. */
  readonly name: string
  readonly access: ProviderAccess
  /** Whether images may be passed on to it. */
  readonly sees: boolean
}

/**
 * The model that answers this turn and how to reach it.
 *
 * @throws Fault model_not_configured, images_not_supported
 */
export async function modelOf(
  ctx: Pick<Context, 'db' | 'config' | 'vault' | 'models'>,
  { agent, messages }: SessionRequest,
): Promise<AgentModel> {
  const { model } = agent.settings
  const slash = model.indexOf('/')
  const provider = model.slice(0, slash)
  const name = model.slice(slash + 1)
  const access =
    agent.hasOwnProviders === false
      ? environmentAccess(ctx.config, provider)
      : await resolveProvider(ctx, agent.workspaceId, provider)
  if (access === null) throw new Fault(faults.model_not_configured, { provider })
  const sees = ctx.models.abilities(provider, name).vision
  const hasImages = messages.some((message) => message.parts !== undefined)
  if (hasImages && !sees) throw new Fault(faults.images_not_supported, { model: agent.appNameId })
  return { name, access, sees }
}
