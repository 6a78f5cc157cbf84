import { requireAgent } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import type { Passage } from '#platform/models/model.ts'
import { openRanking, readPassages } from './rank-chunks.ts'
import type { ScoredChunk } from './search-index.ts'

export interface KnowledgeQuery {
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly query: string
  /** Sources, at most 100. */
  readonly topK: number
}

/** How many chunks are ranked for each source wanted, before a source has several among them. */
const chunksPerSource = 3

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
  const rows = await readPassages(ctx.db, await bestOfEachSource(rank, topK))
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
  topK: number,
): Promise<ScoredChunk[]> {
  for (let limit = topK * chunksPerSource; ; limit *= 4) {
    const chunks = await rank(limit)
    const best = new Map<string, ScoredChunk>()
    for (const chunk of chunks) if (!best.has(chunk.sourceId)) best.set(chunk.sourceId, chunk)
    if (best.size >= topK || chunks.length < limit) return [...best.values()].slice(0, topK)
  }
}
