import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { agentFromRow, type Agent } from './agent.ts'
import { listAgentRows } from './store.ts'

/** The live agents of a workspace, newest first. */
export async function listAgents(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Agent>> {
  const before = readCursor(cursor, z.string())
  const rows = await listAgentRows(ctx.db.read, workspaceId, { limit: limit + 1, before })
  return pageOf(rows, limit, { key: (row) => row.id, item: agentFromRow })
}
