import { requireAgent } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import { commerceSettings, type CommercePatch, type CommerceSettings } from './commerce-settings.ts'
import { shopSettings } from './shop.ts'
import { saveSettings } from './store.ts'

/** How one agent sells. */
export interface AgentCommerce {
  readonly agentId: string
  readonly settings: CommerceSettings
}

/** @throws Fault record_not_found */
export async function getCommerceSettings(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
): Promise<AgentCommerce> {
  const { read } = ctx.db
  const agent = await requireAgent(read, workspaceId, appId)
  const settings = await shopSettings(read, { workspaceId, agentId: agent.id })
  return { agentId: agent.id, settings }
}

/**
 * Changes the settings that the patch names, each as a whole.
 *
 * @throws Fault record_not_found
 */
export function updateCommerceSettings(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  appId: string,
  patch: CommercePatch,
): Promise<AgentCommerce> {
  return ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const shelf = { workspaceId, agentId: agent.id }
    const settings = commerceSettings.parse({ ...(await shopSettings(tx, shelf)), ...patch })
    await saveSettings(tx, ctx.clock.now(), shelf, JSON.stringify(settings))
    return { agentId: agent.id, settings }
  })
}
