import { analyse, analyseQuery } from '#features/text-analysis/index.ts'
import type { Context } from '#platform/context.ts'
import type { ConversationSearch } from './filter-store.ts'
import { pagesOf } from './pages-of.ts'
import { readMessagesToIndex } from './search-index-store.ts'
import { readWatermark } from './watermark-store.ts'

/** Words of a search after these are ignored. */
const maxTerms = 16

/**
 * What a search looks for, in the terms of the index; the messages that are not in it yet are read.
 * Null when the text holds no word that could be looked for: then nothing is found.
 */
export async function prepareSearch(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  agent: { readonly id: string; readonly number: number },
  text: string,
): Promise<ConversationSearch | null> {
  const wanted = analyseQuery(text).slice(0, maxTerms)
  if (wanted.length === 0) return null
  const recent = new Map(wanted.map((term) => [term, new Set<string>()]))
  const { reached_at: since } = await readWatermark(db.read, 'conversation_search')
  // Allows for clocks of other machines that are ahead.
  const until = clock.now() + 60 * 60_000
  const read = (page: { since: number; until: number }) =>
    readMessagesToIndex(db.scan, { ...page, agentId: agent.id })
  for await (const { rows } of pagesOf(read, { since, until }))
    for (const { session_id: id, content } of rows)
      for (const term of new Set(analyse(content))) recent.get(term)?.add(id)
  const terms = [...recent].map(([term, ids]) => ({ term, recentSessionIds: [...ids] }))
  return { agentNumber: agent.number, terms }
}
