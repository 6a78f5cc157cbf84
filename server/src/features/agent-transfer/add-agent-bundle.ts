import { addAgent, type Agent, type AgentSettings, type Author } from '#features/agents/index.ts'
import { addPortableShop } from '#features/catalog/index.ts'
import { placeSources, storePlaced } from '#features/ingestion/index.ts'
import { providerFaults, requireKnownModel } from '#features/providers/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { AgentBundle } from './agent-bundle.ts'
import { addPreparedTools, prepareTools } from './portable-tools.ts'

/** What a person has to add to complete a copy. */
export interface Need {
  readonly kind: 'variable' | 'mcp_server' | 'model'
  readonly name: string
}

export interface AddedAgent {
  readonly agent: Agent
  readonly needs: readonly Need[]
}

type Ports = Pick<Context, 'db' | 'clock' | 'config' | 'vault' | 'jobs' | 'log'>

/**
 * Creates an agent from a bundle, all of it or nothing. Only the bytes of its knowledge follow in units
 * of their own, and jobs read them.
 *
 * @param note the reason, for the list of versions
 * @throws Fault plan_limit_reached, action_invalid
 */
export async function addAgentBundle(
  ctx: Ports,
  author: Author,
  bundle: AgentBundle,
  note: string,
): Promise<AddedAgent> {
  const prepared = prepareTools(ctx, bundle.tools)
  const { workspaceId } = author
  const { agent, placed } = await ctx.db.write(async (tx) => {
    const settings = await withKnownModel(tx, ctx, workspaceId, bundle.settings)
    const agent = await addAgent(tx, ctx, author, settings, note)
    const place = { workspaceId, agentId: agent.id }
    await addPreparedTools(tx, ctx, place, prepared)
    await addPortableShop(tx, ctx, place, bundle.shop)
    const placed = await placeSources(tx, ctx, place, bundle.knowledge?.sources ?? [])
    return { agent, placed }
  })
  await storePlaced(ctx, placed)
  return { agent, needs: needsOf(ctx, bundle, agent.settings) }
}

/** If this workspace lacks the model's provider or the model's id is not valid, the agent gets the default model and lists the need. */
async function withKnownModel(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  workspaceId: string,
  settings: AgentSettings,
): Promise<AgentSettings> {
  try {
    const model = await requireKnownModel(tx, config, workspaceId, settings.model)
    return { ...settings, model }
  } catch (error) {
    const isUnknown = error instanceof Fault && error.code === providerFaults.model_unknown.code
    if (!isUnknown) throw error
    return { ...settings, model: config.defaultModel }
  }
}

function needsOf(
  { config }: Pick<Context, 'config'>,
  { settings, tools }: AgentBundle,
  { model }: AgentSettings,
): Need[] {
  const isModelKept = parseModelId(config, settings.model)?.id === model
  const lacks = tools.servers.filter(
    ({ sealed, headerNames, queryNames }) =>
      sealed === null && headerNames.length + queryNames.length > 0,
  )
  const secrets = tools.variables.filter(({ kind, sealed }) => kind === 'secret' && sealed === null)
  return [
    ...(isModelKept ? [] : [{ kind: 'model', name: settings.model } as const]),
    ...secrets.map(({ name }) => ({ kind: 'variable', name }) as const),
    ...lacks.map(({ name }) => ({ kind: 'mcp_server', name }) as const),
  ]
}
