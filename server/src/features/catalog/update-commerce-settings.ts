import { createHash } from 'node:crypto'
import { requireAgent } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { catalogFaults } from './catalog-faults.ts'
import { commerceSettings, type CommercePatch, type CommerceSettings } from './commerce-settings.ts'
import { shopSettings } from './shop.ts'
import { saveSettings } from './store.ts'

/** How one agent sells. */
export interface AgentCommerce {
  readonly agentId: string
  readonly settings: CommerceSettings
  /** Other settings have another one. */
  readonly revision: string
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
  return { agentId: agent.id, settings, revision: revisionOf(settings) }
}

/** What the settings contain is what two editors may disagree about, so no counter is stored. */
function revisionOf(settings: CommerceSettings): string {
  const hash = createHash('sha256').update(JSON.stringify(settings))
  return hash.digest('base64url').slice(0, revisionLength)
}

const revisionLength = 16

/**
 * Changes the settings that the patch names, each as a whole.
 *
 * @param expectedRevision of the settings that the patch is based on
 * @throws Fault record_not_found, commerce_settings_changed
 */
export function updateCommerceSettings(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  appId: string,
  patch: CommercePatch,
  expectedRevision?: string,
): Promise<AgentCommerce> {
  return ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const shelf = { workspaceId, agentId: agent.id }
    const before = await shopSettings(tx, shelf)
    if (expectedRevision !== undefined && expectedRevision !== revisionOf(before))
      throw new Fault(catalogFaults.commerce_settings_changed)
    const settings = commerceSettings.parse({ ...before, ...patch })
    await saveSettings(tx, ctx.clock.now(), shelf, JSON.stringify(settings))
    return { agentId: agent.id, settings, revision: revisionOf(settings) }
  })
}
