import { requireAgent } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import type { Passage } from '#platform/models/model.ts'
import { openRanking, readPassages } from './rank-chunks.ts'
import type { ScoredChunk } from './search-index.ts'
import { countSearchedSources } from './store.ts'

export interface KnowledgeQuery {
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly query: string
  /** Sources, at most 100. */
  readonly topK: number
}

/** How many chunks are looked at for each source wanted: finding them costs, reading ids does not. */
const chunksPerSource = 20

/**
 * The sources of an agent that answer a question best, each with its best chunk.
 *
 * @throws Fault record_not_found for an agent that is not in the workspace
 */
export async function searchKnowledge(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  { appId, query, topK }: KnowledgeQuery,
): Promise<Passage[]> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const rank = await openRanking(ctx.db, agent.id, query)
  if (rank === null) return []
  const wanted = await countSearchedSources(ctx.db.read, agent.id, topK)
  const rows = await readPassages(ctx.db, await bestOfEachSource(rank, wanted))
  return rows.map(({ source_id, title, url, page, heading, text, score }) => ({
    sourceId: source_id,
    title,
    url,
    page,
    heading,
    text,
    score,
  }))
}

/** Widens the ranking until it holds enough sources or everything that was found. */
async function bestOfEachSource(
  rank: (limit: number) => Promise<ScoredChunk[]>,
  wanted: number,
): Promise<ScoredChunk[]> {
  for (let limit = wanted * chunksPerSource; ; limit *= 8) {
    const chunks = await rank(limit)
    const best = new Map<string, ScoredChunk>()
    for (const chunk of chunks) if (!best.has(chunk.sourceId)) best.set(chunk.sourceId, chunk)
    if (best.size >= wanted || chunks.length < limit) return [...best.values()].slice(0, wanted)
  }
}
