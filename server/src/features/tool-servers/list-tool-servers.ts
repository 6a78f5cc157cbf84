import { z } from 'zod'
import { requireAgent, workspaceOfOwned } from '#features/agents/index.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { toolServerFromRow, type ToolServer } from './tool-server.ts'
import { listToolServerRows } from './tool-server-store.ts'

/**
 * The remote MCP servers of an agent, oldest first, with the tools that each listed last.
 *
 * @throws Fault record_not_found
 */
export async function listToolServers(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ToolServer>> {
  const after = readCursor(cursor, z.string())
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const rows = await listToolServerRows(ctx.db.read, agent.id, { limit: limit + 1, after })
  return pageOf(rows, limit, { key: (row) => row.id, item: toolServerFromRow })
}

/** The workspace of a server of a live agent; undefined when no server has the id. */
export function toolServerWorkspace(ctx: Pick<Context, 'db'>, serverId: string) {
  return workspaceOfOwned(ctx, 'tool_servers', serverId)
}
