import type { AgentSettings } from '#features/agents/index.ts'
import type { Questioner, QueryPorts } from '#features/embeddings/index.ts'
import type { Passage } from '#platform/models/model.ts'
import { readPassages } from './read-passages.ts'
import { openRetrieval } from './retrieve.ts'

export interface KnowingAgent {
  readonly id: string
  readonly workspaceId: string
  readonly retrieval: AgentSettings['retrieval']
}

/**
 * What an agent knows of a question, best first: at most `top_k` chunks, by the agent's mode and with
 * at least its `min_score`, several of one source if they are the best. An agent without knowledge
 * costs one read. A provider that does not embed the question costs its vectors, never the turn.
 */
export async function retrievePassages(
  ctx: QueryPorts,
  agent: KnowingAgent,
  query: string,
  turn: Pick<Questioner, 'turn' | 'signal'> = {},
): Promise<Passage[]> {
  const { top_k, min_score: minScore, vector_weight: vectorWeight, mode } = agent.retrieval
  const who = { agentId: agent.id, workspaceId: agent.workspaceId, ...turn }
  const retrieval = await openRetrieval(ctx, { ...who, query, mode, minScore, vectorWeight })
  if (retrieval === null) return []
  return await readPassages(ctx.db, await retrieval.find(top_k))
}
