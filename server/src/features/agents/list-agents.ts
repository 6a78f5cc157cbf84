import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { agentFromRow, type Agent } from './agent.ts'
import { listAgentRows } from './store.ts'

/** The live agents of a workspace, newest first. */
export function listAgents(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<Agent>> {
  return pageById(page, (window) => listAgentRows(ctx.db.read, workspaceId, window), agentFromRow)
}
