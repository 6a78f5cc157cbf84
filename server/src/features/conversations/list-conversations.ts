import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { pageOf, readCursor, type Page } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { conversationFromRow, type ListedConversation } from './conversation.ts'
import { ratingOf, type ConversationQuery } from './conversation-filter.ts'
import { filterConditions } from './filter-store.ts'
import { listConversationRows } from './reading-store.ts'
import { prepareSearch } from './search-conversations.ts'

const cursorKey = z.object({ createdAt: z.int(), id: z.string() })

/**
 * The stored conversations of an agent that a filter lets through, latest begun first.
 *
 * @throws Fault record_not_found
 */
export async function listConversations(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  appId: string,
  { limit, cursor, query, ...filter }: ConversationQuery,
): Promise<Page<ListedConversation>> {
  const before = readCursor(cursor, cursorKey)
  const { db } = ctx
  const agent = await requireAgent(db.read, workspaceId, appId)
  const search = query === undefined ? null : await prepareSearch(ctx, agent, query)
  if (query !== undefined && search === null) return { items: [], nextCursor: null }
  const conditions = filterConditions(db.engine, filter, search)
  const place = { workspaceId, agentId: agent.id }
  const reader = conditions.length === 0 ? db.read : db.scan
  const rows = await listConversationRows(reader, place, {
    limit: limit + 1,
    before,
    conditions,
  })
  return pageOf(rows, limit, {
    key: (row) => ({ createdAt: row.created_at, id: row.id }),
    item: (row) => ({
      ...conversationFromRow(row),
      question: row.question,
      rating: ratingOf(row.rating),
    }),
  })
}
