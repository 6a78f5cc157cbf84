import { requireOwned } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import { toolServerFromRow, type ToolServer } from './tool-server.ts'
import { deleteToolServerRow } from './tool-server-store.ts'

/**
 * Removes a server and its tools from an agent.
 *
 * @returns the server as it was
 * @throws Fault record_not_found
 */
export function removeToolServer(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  serverId: string,
): Promise<ToolServer> {
  return ctx.db.write(async (tx) => {
    const row = await requireOwned(tx, 'tool_servers', workspaceId, serverId)
    await deleteToolServerRow(tx, row.id)
    return toolServerFromRow(row)
  })
}
