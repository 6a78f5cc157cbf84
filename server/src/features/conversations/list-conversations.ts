import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { conversationFromRow, type Conversation } from './conversation.ts'
import { listConversationRows } from './reading-store.ts'

const cursorKey = z.object({ createdAt: z.int(), id: z.string() })

/**
 * The stored conversations of an agent, latest begun first.
 *
 * @throws Fault record_not_found
 */
export async function listConversations(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Conversation>> {
  const before = readCursor(cursor, cursorKey)
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const filter = { workspaceId, agentId: agent.id }
  const rows = await listConversationRows(ctx.db.read, filter, { limit: limit + 1, before })
  return pageOf(rows, limit, {
    key: (row) => ({ createdAt: row.created_at, id: row.id }),
    item: conversationFromRow,
  })
}
