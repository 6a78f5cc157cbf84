import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { apiKeyFromRow, type ApiKey } from './api-key.ts'
import { listKeys } from './store.ts'

/**
 * The chat keys of an agent that are not revoked, newest first; expired ones among them.
 *
 * @throws Fault record_not_found
 */
export async function listChatKeys(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ApiKey>> {
  const before = readCursor(cursor, z.string())
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const filter = { workspaceId, kind: 'chat' as const, agentId: agent.id }
  const rows = await listKeys(ctx.db.read, filter, { limit: limit + 1, before })
  return pageOf(rows, limit, { key: (row) => row.id, item: apiKeyFromRow })
}
