import { requireAgent } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import {
  commerceSettings,
  readCommerceSettings,
  type CommercePatch,
  type CommerceSettings,
} from './commerce-settings.ts'
import { findSettings, saveSettings } from './store.ts'

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
  const json = await findSettings(read, workspaceId, agent.id)
  return { agentId: agent.id, settings: readCommerceSettings(json) }
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
    const before = readCommerceSettings(await findSettings(tx, workspaceId, agent.id))
    const settings = commerceSettings.parse({ ...before, ...patch })
    await saveSettings(tx, {
      agent_id: agent.id,
      workspace_id: workspaceId,
      settings_json: JSON.stringify(settings),
      now: ctx.clock.now(),
    })
    return { agentId: agent.id, settings }
  })
}
