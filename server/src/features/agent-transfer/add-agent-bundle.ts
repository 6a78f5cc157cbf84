import {
  addHiddenAgent,
  removeHiddenAgent,
  showAgent,
  storeDraft,
  type Agent,
  type AgentPatch,
  type AgentSettings,
  type Author,
} from '#features/agents/index.ts'
import {
  addShopSettings,
  removeHidden,
  storeHiddenShop,
  type HiddenParts,
} from '#features/catalog/index.ts'
import {
  placeSources,
  removePlaced,
  storePlaced,
  type PlacedSource,
} from '#features/ingestion/index.ts'
import { providerFaults, requireKnownModel } from '#features/providers/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { AgentBundle } from './agent-bundle.ts'
import type { FirstStep } from './agent-document.ts'
import { addPreparedTools, prepareTools } from './portable-tools.ts'

/** What a person has to add to complete a copy. */
export type Need =
  | { readonly kind: 'variable' | 'mcp_server' | 'model'; readonly name: string }
  | { readonly kind: 'knowledge_source'; readonly name: string; readonly step: FirstStep }

export interface AddedAgent {
  readonly agent: Agent
  readonly needs: readonly Need[]
}

/** What a hidden unit stores is shown by a later unit, which flushes it. */
const hidden = { isHidden: true, flush: 'later' } as const

type Ports = Pick<Context, 'db' | 'clock' | 'config' | 'vault' | 'jobs' | 'log' | 'objects'>

/**
 * Creates an agent from a bundle, all of it or nothing. Its products and sources are stored in
 * short units while the agent is hidden; the last of them shows it. Only the bytes of its knowledge
 * follow; jobs read them and its pages. A process that dies before the last unit leaves a deleted
 * agent, which is purged like others.
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
  const agent = await ctx.db.write(async (tx) => {
    const settings = await withKnownModel(tx, ctx, workspaceId, bundle.settings)
    return await addHiddenAgent(tx, ctx, { workspaceId, folder: bundle.folder }, settings)
  }, hidden)
  const place = { workspaceId, agentId: agent.id }
  const products: HiddenParts = []
  const placed: PlacedSource[] = []
  try {
    await storeHiddenShop(ctx, place, bundle.shop, products)
    await placeSources(ctx, place, bundle.knowledge?.sources ?? [], placed)
    await ctx.db.write(async (tx) => {
      await showAgent(tx, ctx, author, agent, note)
      await storeDraft(
        tx,
        ctx,
        agent,
        await knownPart(tx, ctx, author, bundle.draft),
        author.userId,
      )
      await addPreparedTools(tx, ctx, place, prepared)
      await addShopSettings(tx, ctx, place, bundle.shop)
      return { agent }
    })
  } catch (error) {
    await removeHidden(ctx, products)
    await removePlaced(ctx, placed)
    await ctx.db.write((tx) => removeHiddenAgent(tx, agent.id), hidden)
    throw error
  }
  await storePlaced(ctx, placed)
  return { agent, needs: needsOf(ctx, bundle, agent.settings) }
}

/**
 * If this workspace lacks a model's provider or a model's id is not valid, the agent gets the default model,
 * is without this fallback model, or writes summaries with its own model, and lists the need.
 */
async function withKnownModel(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  workspaceId: string,
  settings: AgentSettings,
): Promise<AgentSettings> {
  const known = await knownModel(tx, ctx, workspaceId, settings.model)
  const { memory_model: ofMemory } = settings
  return {
    ...settings,
    memory_model: ofMemory === null ? null : await knownModel(tx, ctx, workspaceId, ofMemory),
    model: known ?? ctx.config.defaultModel,
    fallback_models: await knownModels(tx, ctx, workspaceId, settings.fallback_models),
  }
}

async function knownModels(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  workspaceId: string,
  models: readonly string[],
): Promise<string[]> {
  const known: string[] = []
  for (const model of models) {
    const found = await knownModel(tx, ctx, workspaceId, model)
    if (found !== null) known.push(found)
  }
  return known
}

/** A draft without models that this workspace does not know. */
async function knownPart(
  tx: Tx,
  ctx: Pick<Context, 'config'>,
  { workspaceId }: Author,
  { model, fallback_models: fallbacks, memory_model: ofMemory, ...others }: AgentPatch,
): Promise<AgentPatch> {
  const draft: AgentPatch = { ...others }
  if (fallbacks !== undefined)
    draft.fallback_models = await knownModels(tx, ctx, workspaceId, fallbacks)
  if (ofMemory !== undefined)
    draft.memory_model = ofMemory === null ? null : await knownModel(tx, ctx, workspaceId, ofMemory)
  if (model === undefined) return draft
  const known = await knownModel(tx, ctx, workspaceId, model)
  return known === null ? draft : { ...draft, model: known }
}

async function knownModel(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  workspaceId: string,
  model: string,
): Promise<string | null> {
  try {
    return await requireKnownModel(tx, config, workspaceId, model)
  } catch (error) {
    const isUnknown = error instanceof Fault && error.code === providerFaults.model_unknown.code
    if (!isUnknown) throw error
    return null
  }
}

function needsOf(
  { config }: Pick<Context, 'config'>,
  { settings, tools, firstStep: step }: AgentBundle,
  { model, fallback_models: kept, memory_model: ofMemory }: AgentSettings,
): Need[] {
  const idOf = (id: string) => parseModelId(config, id)?.id ?? ''
  const lost = settings.fallback_models.filter((id) => !kept.includes(idOf(id)))
  if (settings.memory_model !== null && ofMemory === null) lost.push(settings.memory_model)
  const models = idOf(settings.model) === model ? lost : [settings.model, ...lost]
  const lacks = tools.servers.filter(
    ({ sealed, headerNames, queryNames }) =>
      sealed === null && headerNames.length + queryNames.length > 0,
  )
  const secrets = tools.variables.filter(({ kind, sealed }) => kind === 'secret' && sealed === null)
  return [
    ...models.map((name) => ({ kind: 'model', name }) as const),
    ...secrets.map(({ name }) => ({ kind: 'variable', name }) as const),
    ...lacks.map(({ name }) => ({ kind: 'mcp_server', name }) as const),
    ...(step === null ? [] : [{ kind: 'knowledge_source', name: step.kind, step } as const]),
  ]
}
