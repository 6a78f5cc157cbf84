import { requireAgent } from '#features/agents/index.ts'
import { pageById, type IdWindow, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { toolServerFromRow, type ToolServer } from './tool-server.ts'
import { listToolServerRows } from './tool-server-store.ts'

/**
 * The remote MCP servers of an agent, oldest first, with the tools that each listed last.
 *
 * @throws Fault record_not_found
 */
export async function listToolServers(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  page: PageRequest,
): Promise<Page<ToolServer>> {
  const agent = await requireAgent(db.read, workspaceId, appId)
  const read = (window: IdWindow) => listToolServerRows(db.read, agent.id, window)
  return await pageById(page, read, toolServerFromRow)
}
