import type { Database } from '#platform/db/database.ts'
import { analyseQuery } from './analyse.ts'
import { searchIndex, type ScoredChunk } from './search-index.ts'
import { findCollection, findPassages, type PassageRow } from './store.ts'

/**
 * Up to this many chunks a search takes about two milliseconds on SQLite and is answered on the
 * calling thread; beyond, it goes to the worker, so that it holds up nobody else.
 */
const mostChunksOnMainThread = 2000

/** The longest question's terms that are looked for: a pasted document is cut here. */
const mostTerms = 100

/**
 * Asks for the best chunks of an agent, as often as the caller wants with a larger limit.
 *
 * @returns null when nothing can be found: the agent knows nothing, or the question says nothing
 */
export async function openRanking(
  db: Database,
  agentId: string,
  query: string,
): Promise<((limit: number) => Promise<ScoredChunk[]>) | null> {
  const terms = analyseQuery(query).slice(0, mostTerms)
  if (terms.length === 0) return null
  const collection = await findCollection(db.read, agentId)
  if (collection === undefined || collection.chunk_count === 0) return null
  const reader = collection.chunk_count <= mostChunksOnMainThread ? db.read : db.scan
  return (limit) => searchIndex(db).rank(reader, { collection, agentId, terms, limit })
}

/** What a scored chunk says; those deleted since they were scored are left out. */
export async function readPassages(
  db: Database,
  scored: readonly ScoredChunk[],
): Promise<(PassageRow & { readonly score: number })[]> {
  if (scored.length === 0) return []
  const rows = await findPassages(
    db.read,
    scored.map(({ chunkId }) => chunkId),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return scored.flatMap(({ chunkId, score }) => {
    const row = byId.get(chunkId)
    return row === undefined ? [] : [{ ...row, score }]
  })
}
