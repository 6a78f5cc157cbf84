import type { AgentSettings } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import type { Passage } from '#platform/models/model.ts'
import { openRanking, readPassages } from './rank-chunks.ts'

/**
 * What an agent knows of a question, best first: at most `top_k` chunks that score at least
 * `min_score`, several of one source if they are the best. An agent without knowledge costs one read.
 */
export async function retrievePassages(
  ctx: Pick<Context, 'db'>,
  agent: { readonly id: string; readonly retrieval: AgentSettings['retrieval'] },
  query: string,
): Promise<Passage[]> {
  const { top_k, min_score } = agent.retrieval
  const rank = await openRanking(ctx.db, agent.id, query)
  if (rank === null) return []
  const scored = (await rank(top_k)).filter(({ score }) => score >= min_score)
  const rows = await readPassages(ctx.db, scored)
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
