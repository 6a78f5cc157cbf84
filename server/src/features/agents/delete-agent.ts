import type { Context } from '#platform/context.ts'
import { agentFromRow, type Agent } from './agent.ts'
import { requireAgent } from './get-agent.ts'
import { updateAgentRow } from './store.ts'

/**
 * Marks an agent as deleted: no query finds it any more. Its data stays until the purge of deleted
 * agents (`WORKSPACE_RETENTION_DAYS`).
 *
 * @throws Fault record_not_found
 */
export function deleteAgent(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  appId: string,
): Promise<Agent & { readonly deletedAt: number }> {
  return ctx.db.write(async (tx) => {
    const row = await requireAgent(tx, workspaceId, appId)
    const now = ctx.clock.now()
    await updateAgentRow(tx, row.id, { deleted_at: now, updated_at: now })
    return { ...agentFromRow({ ...row, updated_at: now }), deletedAt: now }
  })
}
