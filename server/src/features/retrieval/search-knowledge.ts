import { readAgentSettings, requireAgent } from '#features/agents/index.ts'
import type { QueryPorts, WithoutVectors } from '#features/embeddings/index.ts'
import { analyse, analyseGerman, type QuestionWord } from '#features/text-analysis/index.ts'
import type { FoundChunk } from './fuse-ranks.ts'
import {
  openRetrieval,
  readPassages,
  type FoundPassage,
  type Retrieval,
  type RetrievalMode,
} from './retrieve.ts'
import { countSearchedSources } from './searched-sources-store.ts'

export interface KnowledgeQuery {
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly query: string
  /** Sources, at most 100. */
  readonly topK: number
}

export interface KnowledgeAnswer {
  readonly items: readonly FoundSource[]
  /** The mode that was used. */
  readonly mode: RetrievalMode
  /** Why vectors were not used although the agent's mode wants them. */
  readonly without: WithoutVectors | null
}

export interface FoundSource extends FoundPassage {
  /** The terms of the question that the passage contains. */
  readonly terms: readonly string[]
}

/** Chunks searched per wanted source: the search itself is expensive, more results are not. */
const chunksPerSource = 20

/**
 * The sources of an agent that match a question best, each with its best chunk, in the agent's mode.
 * `min_score` is not applied here, so that an editor sees every score when choosing it.
 *
 * @throws Fault record_not_found for an agent that is not in the workspace
 */
export async function searchKnowledge(
  ctx: QueryPorts,
  workspaceId: string,
  { appId, query, topK }: KnowledgeQuery,
): Promise<KnowledgeAnswer> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const settings = readAgentSettings(agent.settings_json)
  const { mode, vector_weight: vectorWeight } = settings.retrieval
  const who = { agentId: agent.id, workspaceId }
  const retrieval = await openRetrieval(ctx, { ...who, query, mode, minScore: 0, vectorWeight })
  if (retrieval === null) return { items: [], mode: 'fulltext', without: null }
  const wanted = await countSearchedSources(ctx.db.read, agent.id, topK)
  const passages = await readPassages(ctx.db, await bestOfEachSource(retrieval, wanted))
  return {
    items: passages.map((passage) => ({ ...passage, terms: termsIn(passage, retrieval.words) })),
    mode: retrieval.mode,
    without: retrieval.without,
  }
}

/** Widens the search until it has enough sources or every result. */
async function bestOfEachSource(retrieval: Retrieval, wanted: number): Promise<FoundChunk[]> {
  for (let limit = wanted * chunksPerSource; ; limit *= 8) {
    const chunks = await retrieval.find(limit)
    const best = new Map<string, FoundChunk>()
    for (const chunk of chunks) if (!best.has(chunk.sourceId)) best.set(chunk.sourceId, chunk)
    if (best.size >= wanted || chunks.length < limit) return [...best.values()].slice(0, wanted)
  }
}

function termsIn(
  { title, heading, text, why }: FoundPassage,
  words: readonly QuestionWord[],
): string[] {
  if (why.fulltext === null) return []
  const all = `${title}\n${heading}\n${text}`
  const held = new Set([...analyse(all), ...analyseGerman(all)])
  return words.filter(({ forms }) => forms.some((form) => held.has(form))).map(({ term }) => term)
}
