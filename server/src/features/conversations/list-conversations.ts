import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { analyseInSlices, analyseQuery } from '#features/text-analysis/index.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { pageOf, readCursor, type Page } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { begunWord } from './begun-word.ts'
import { ratingOf, type ConversationQuery, type Rating } from './conversation-filter.ts'
import { filterConditions, listModels } from './filter-store.ts'
import type { Conversation } from './get-conversation.ts'
import { readContent } from './message-content-store.ts'
import { pagesOf } from './pages-of.ts'
import { listConversationRows } from './reading-store.ts'
import { isCommon, readMessagesToIndex, type SearchedTerm } from './search-index-store.ts'
import { readWatermark } from './watermark-store.ts'

/** A conversation in a list. */
export interface ListedConversation extends Conversation {
  /** The beginning of the user's first message. */
  readonly question: string | null
  /** The latest rating of one of its answers. */
  readonly rating: Rating | null
}

const cursorKey = z.object({ createdAt: z.int(), id: z.string() })

/**
 * The stored conversations of an agent that pass a filter, latest begun first. Those without a message,
 * which callers create to use later, are left out, so a page can be shorter than its limit.
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
  const terms = query === undefined ? [] : await searchedTerms(ctx, agent, query)
  if (query !== undefined && terms.length === 0) return { items: [], nextCursor: null }
  const listed = await listModels(db.report, db.engine, agent.id, filter.model)
  const conditions = filterConditions(db.engine, filter, terms, listed)
  const place = { workspaceId, agentId: agent.id }
  // SQLite reads a whole message to find its beginning, and it may be megabytes long.
  const rows = await listConversationRows(db.report, place, {
    limit: limit + 1,
    before,
    conditions,
  })
  const { items, nextCursor } = pageOf(rows, limit, {
    key: (row) => ({ createdAt: row.created_at, id: row.id }),
    item: (row) => ({ ...camelKeys(row), rating: ratingOf(row.rating) }),
  })
  // A condition on the count would read every row, which the index of the other conditions avoids.
  return { items: items.filter(({ messageCount }) => messageCount > 0), nextCursor }
}

/** Messages of a page that is searched here. */
const messagesAtOnce = 500

/** Further words of a search are ignored. */
const maxTerms = 16

/**
 * The terms of a search; empty when the text contains no word to search for. The last word may be the
 * beginning of one. Messages that are not
 * indexed yet are read and matched here.
 */
async function searchedTerms(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  agent: { readonly id: string; readonly number: number },
  text: string,
): Promise<SearchedTerm[]> {
  const wanted = analyseQuery(text).slice(0, maxTerms)
  if (wanted.length === 0) return []
  const begun = begunWord(text)
  const recent = new Map(wanted.map((term) => [term, new Set<string>()]))
  const { reached_at: since } = await readWatermark(db.report, 'conversation_search')
  // Allows for clocks of other machines that are ahead.
  const until = clock.now() + 60 * 60_000
  const read = (page: { since: number; until: number }) =>
    readMessagesToIndex(db.report, { ...page, agentId: agent.id })
  for await (const { rows } of pagesOf(read, { since, until }, messagesAtOnce))
    for (const message of rows) {
      const terms = new Set<string>()
      await analyseInSlices(await readContent(db.report, message), terms)
      for (const [term, ids] of recent)
        if (terms.has(term) || (term === begun?.term && anyBegins(terms, begun.start)))
          ids.add(message.session_id)
    }
  return await Promise.all(
    [...recent].map(async ([term, ids]) => {
      const start = term === begun?.term ? begun.start : null
      const searched = { agentNumber: agent.number, term, start }
      const common = await isCommon(db.report, db.engine, searched)
      return { ...searched, recentSessionIds: [...ids], isCommon: common }
    }),
  )
}

function anyBegins(terms: ReadonlySet<string>, start: string): boolean {
  return terms.values().some((term) => term.startsWith(start))
}
