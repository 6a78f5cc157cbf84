import { getDraftedAgent, type AgentPatch, type AgentSettings } from '#features/agents/index.ts'
import {
  maxPortableProducts,
  readPortableShop,
  type PortableShop,
} from '#features/catalog/index.ts'
import { readPortableSources, type PortableKnowledge } from '#features/ingestion/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { FirstStep } from './agent-document.ts'
import { readPortableTools, type PortableTools } from './portable-tools.ts'
import { transferFaults } from './transfer-faults.ts'

/** Everything that a copy of an agent consists of; its conversations and keys are not part of it. */
export interface AgentBundle {
  readonly settings: AgentSettings
  /** '' for none. */
  readonly folder: string
  /** Settings that are not published; empty without any. */
  readonly draft: AgentPatch
  readonly tools: PortableTools
  readonly shop: PortableShop
  /** Null if it was not requested. */
  readonly knowledge: PortableKnowledge | null
  /** Which website to read first; null if the agent knows enough. */
  readonly firstStep: FirstStep | null
}

/**
 * Reads an agent with its secrets, which stay sealed.
 *
 * @throws Fault record_not_found, too_many_products
 */
export async function readAgentBundle(
  ctx: Pick<Context, 'db' | 'vault' | 'objects' | 'log'>,
  workspaceId: string,
  appId: string,
  { withKnowledge }: { readonly withKnowledge: boolean },
): Promise<AgentBundle> {
  const { id: agentId, settings, folder, draft } = await getDraftedAgent(ctx, workspaceId, appId)
  const { read } = ctx.db
  const tools = await readPortableTools(ctx, read, agentId)
  const shop = await readPortableShop(read, { workspaceId, agentId })
  if (shop.products.length > maxPortableProducts)
    throw new Fault(transferFaults.too_many_products, { allowed: maxPortableProducts })
  const knowledge = withKnowledge ? await readPortableSources(ctx, workspaceId, agentId) : null
  const changes = draft?.changes ?? {}
  return { settings, folder, draft: changes, tools, shop, knowledge, firstStep: null }
}

/** The bundle in a form that may leave its workspace. */
export function withoutItsSecrets({ tools, ...bundle }: AgentBundle): AgentBundle {
  const variables = tools.variables.map((variable) => ({ ...variable, sealed: null }))
  const servers = tools.servers.map((server) => ({ ...server, sealed: null }))
  return { ...bundle, tools: { ...tools, variables, servers } }
}

/** Whether it has actions, variables or MCP servers: these need a scope of their own. */
export function hasTools({ tools: { actions, variables, servers } }: AgentBundle): boolean {
  return actions.length + variables.length + servers.length > 0
}
