import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { toolServerFromRow, type ToolServer } from './tool-server.ts'
import { deleteToolServerRow, findToolServer } from './tool-server-store.ts'

/**
 * Takes the tools of a server from an agent.
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
    const row = await findToolServer(tx, workspaceId, serverId)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await deleteToolServerRow(tx, row.id)
    return toolServerFromRow(row)
  })
}
