import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { actionFromRow, type Action } from './action.ts'
import { listActionRows } from './store.ts'

/**
 * The actions of an agent, newest first.
 *
 * @throws Fault record_not_found
 */
export async function listActions(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Action>> {
  const before = readCursor(cursor, z.string())
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const rows = await listActionRows(ctx.db.read, agent.id, { limit: limit + 1, before })
  return pageOf(rows, limit, { key: (row) => row.id, item: actionFromRow })
}
