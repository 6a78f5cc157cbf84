import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { sourceFromRow, type Source } from './source.ts'
import { listSourceRows } from './store.ts'

/**
 * What an agent knows, newest first.
 *
 * @param appId UUID or `app_name_id`
 * @throws Fault record_not_found for an agent that is not in the workspace
 */
export async function listSources(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Source>> {
  const before = readCursor(cursor, z.string())
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const rows = await listSourceRows(ctx.db.read, agent.id, { limit: limit + 1, before })
  return pageOf(rows, limit, { key: (row) => row.id, item: sourceFromRow })
}
