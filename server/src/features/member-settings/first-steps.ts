import { listProviderSettings } from '#features/providers/index.ts'
import type { Context } from '#platform/context.ts'
import { findAgentFacts, findNewestAgent, findSeat, updateSeat, type Member } from './store.ts'

interface NamedAgent {
  readonly id: string
  readonly appNameId: string
  readonly name: string
}

/**
 * The steps to an agent that others can talk to, each done when the workspace's records show it.
 */
interface FirstSteps {
  readonly hidden: boolean
  readonly modelConnected: boolean
  readonly agentCreated: boolean
  readonly knowledgeAdded: boolean
  readonly tried: boolean
  readonly shared: boolean
  /** The newest agent, without the demo agent. */
  readonly agent: NamedAgent | null
}

/** The model that is part of Parley quotes; only a connected provider counts. */
const ownProvider = 'local'
const mostProviders = 1000

export async function readFirstSteps(
  ctx: Pick<Context, 'db' | 'config'>,
  member: Member,
): Promise<FirstSteps> {
  const { workspaceId } = member
  const reader = ctx.db.read
  const [seat, providers, newest, facts] = await Promise.all([
    findSeat(reader, member),
    listProviderSettings(ctx, workspaceId, { limit: mostProviders }),
    findNewestAgent(reader, workspaceId),
    findAgentFacts(reader, workspaceId),
  ])
  const agent = newest && { id: newest.id, appNameId: newest.app_name_id, name: newest.name }
  return {
    hidden: (seat?.first_steps_hidden_at ?? null) !== null,
    modelConnected: providers.items.some(
      ({ provider, setBy }) => setBy !== null && provider !== ownProvider,
    ),
    agentCreated: agent !== undefined,
    knowledgeAdded: facts.hasKnowledge,
    tried: facts.hasChat,
    shared: facts.isShared,
    agent: agent ?? null,
  }
}

export async function hideFirstSteps(
  ctx: Pick<Context, 'db' | 'clock'>,
  member: Member,
  hidden: boolean,
): Promise<void> {
  const first_steps_hidden_at = hidden ? ctx.clock.now() : null
  await ctx.db.write((tx) => updateSeat(tx, member, { first_steps_hidden_at }))
}
