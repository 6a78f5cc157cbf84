import type { AgentSettings } from '#features/agents/index.ts'
import {
  embedQuery,
  vectorIndex,
  type EmbeddedQuery,
  type Questioner,
  type QueryPorts,
  type WithoutVectors,
} from '#features/embeddings/index.ts'
import {
  findCollection,
  findPassages,
  searchTerms,
  type Collection,
  type ScoredChunk,
  type TermSearch,
} from '#features/full-text/index.ts'
import {
  analyseQuestion,
  formsOf,
  hanPairs,
  type QuestionWord,
} from '#features/text-analysis/index.ts'
import { inSpan } from '#kernel/spans.ts'
import type { Passage } from '#platform/models/model.ts'
import type { RelatedWords, WordWeights } from '#platform/models/question-words.ts'
import { answersFirst } from './answers-first.ts'
import { byVector, fuseRanks, weightOfVectors, type FoundChunk, type Why } from './fuse-ranks.ts'
import { singleCharacters } from './single-characters.ts'
import { listAnswers } from './searched-sources-store.ts'
import { unknownPart } from './unknown-part.ts'
import { noWeights, weighWords } from './weigh-words.ts'
import { widenCorrected } from './widen-corrected.ts'
import { notWidened, widenQuestion, type WideQuestion } from './widen-question.ts'

export interface KnowingAgent {
  readonly id: string
  readonly workspaceId: string
  readonly retrieval: AgentSettings['retrieval']
}

export interface FoundKnowledge {
  readonly passages: readonly Passage[]
  readonly weighWords: Retrieval['weighWords']
  /** Empty unless the search was wide. */
  readonly relatedWords: RelatedWords
}

const nothing = { passages: [], weighWords: () => noWeights, relatedWords: new Map() }

/** The passages of a wide search, which the built-in model ranks; more for *What is a turn?* */
const widePassages = { usual: 20, ofOneWord: 60 } as const

/**
 * What an agent knows about a question, best first: at most `top_k` chunks that score at least
 * `min_score`, found by the agent's mode; several of one source if they are the best. An agent without
 * knowledge costs one read. When the question cannot be embedded, the search goes without vectors.
 */
export function retrievePassages(...given: Parameters<typeof findBest>): Promise<FoundKnowledge> {
  return inSpan('retrieval', {}, () => findBest(...given))
}

async function findBest(
  ctx: QueryPorts,
  agent: KnowingAgent,
  query: string,
  { isWide = false, ...turn }: SearchOptions = {},
): Promise<FoundKnowledge> {
  const { top_k, min_score: minScore, vector_weight: vectorWeight, mode } = agent.retrieval
  const who = { agentId: agent.id, workspaceId: agent.workspaceId, ...turn }
  const wide = isWide ? widenQuestion(query) : notWidened
  const wanted = { ...who, query, mode, minScore, vectorWeight, wide }
  const retrieval = await openRetrieval(ctx, wanted)
  if (retrieval === null) return nothing
  const wideLimit = widePassages[retrieval.words.length > 1 ? 'usual' : 'ofOneWord']
  const passages = await readPassages(ctx.db, await retrieval.find(isWide ? wideLimit : top_k))
  const { weighWords, relatedWords } = retrieval
  return { passages, weighWords, relatedWords }
}

interface SearchOptions extends Pick<Questioner, 'turn' | 'signal'> {
  /** Whether to find more passages, and those with related words, too. */
  readonly isWide?: boolean
}

export interface FoundPassage extends Passage {
  readonly why: Why
}

/** The texts of found chunks, in their order; chunks deleted since are left out. */
export async function readPassages(
  db: QueryPorts['db'],
  found: readonly FoundChunk[],
): Promise<FoundPassage[]> {
  if (found.length === 0) return []
  const ids = found.map(({ chunkId }) => chunkId)
  const passages = await findPassages(db.read, db.engine, ids)
  const rows = new Map(passages.map((row) => [row.id, row]))
  return found.flatMap(({ chunkId, score, why }) => {
    const row = rows.get(chunkId)
    if (row === undefined) return []
    const { source_id: sourceId, title, url, page, heading, text } = row
    return [{ sourceId, title, url, page, heading, text, score, why }]
  })
}

export type RetrievalMode = AgentSettings['retrieval']['mode']

export interface Wanted extends Questioner {
  readonly query: string
  /** Hybrid is full text alone if there are no vectors. */
  readonly mode: RetrievalMode
  /** The weight of vectors in hybrid, from 0 to 1; null: see weightOfVectors. */
  readonly vectorWeight: number | null
  /** The least score of a chunk in a list: BM25 in full text, similarity in vectors. */
  readonly minScore: number
  /** What full text searches beside the words of the question. */
  readonly wide?: WideQuestion
}

export interface Retrieval {
  /** The distinct words of the question, as full text searches them. */
  readonly words: readonly QuestionWord[]
  /** Without words if they were not searched. */
  weighWords(): WordWeights
  /** Empty unless the search was wide. */
  readonly relatedWords: RelatedWords
  /** The mode that was used. */
  readonly mode: RetrievalMode
  /** Why vectors were not used although the mode wants them. */
  readonly without: WithoutVectors | null
  /** The best chunks. Can be called again with a higher limit. */
  find(limit: number): Promise<FoundChunk[]>
}

/**
 * Searches of up to this many chunks take a few milliseconds on SQLite and run on the calling thread.
 * Larger ones run in a reader process, so that they do not delay other requests.
 */
const maxChunksOnMainThread = 2000

/** Minimum length of both lists that are fused: lower ranks add next to nothing. */
const fusedDepth = 100

const noAnswers: ReadonlySet<string> = new Set()

/**
 * Prepares a search of an agent's knowledge.
 *
 * @returns null when nothing can be found: the agent has no knowledge, or the question no words
 */
export async function openRetrieval(ctx: QueryPorts, wanted: Wanted): Promise<Retrieval | null> {
  const asked = analyseQuestion(wanted.query)
  const collection = await findCollection(ctx.db.read, wanted.agentId)
  if (collection === undefined || collection.chunk_count === 0) return null
  const wantsVectors = wanted.mode !== 'fulltext' && ctx.config.embeddingModel !== undefined
  const { query, wide = notWidened } = wanted
  const searched = { db: ctx.db, collection, query, wide }
  const answers = collection.has_answers
    ? await listAnswers(ctx.db.read, wanted.agentId)
    : noAnswers
  // Full text reads its index while the model embeds the question.
  const [embedded, early] = await Promise.all([
    wantsVectors ? embedQuery(ctx, wanted, query) : null,
    wanted.mode === 'vector' ? null : searchWords(searched, asked),
  ])
  const without = typeof embedded === 'string' ? embedded : null
  const weigh = ({ known, wide: { relatedTerms, corrections } }: WordSearch) =>
    weighWords({ question: query, relatedTerms, corrections, known, collection })
  if (embedded !== null && typeof embedded !== 'string') {
    const of = { db: ctx.db, wanted, collection, answers, question: embedded }
    const find = (limit: number) =>
      early === null ? findByVector(of, limit) : findByBoth(of, early, limit)
    const weights = () => (early === null ? noWeights : weigh(early))
    const { relatedWords } = early?.wide ?? wide
    return { words: asked, weighWords: weights, relatedWords, mode: wanted.mode, without, find }
  }
  if (asked.length === 0) return null
  const texts = await withCharacters(searched, early ?? (await searchWords(searched, asked)))
  const find = (limit: number) => findByFulltext(texts, { ...wanted, answers }, limit)
  const { words } = texts
  const { relatedWords } = texts.wide
  const weighed = () => weigh(texts)
  return { words, weighWords: weighed, relatedWords, mode: 'fulltext', without, find }
}

/** Words with what full text has of them. */
interface WordSearch extends TermSearch {
  readonly words: readonly QuestionWord[]
  /** What was searched beside the words. */
  readonly wide: WideQuestion
}

interface Searched extends Pick<QueryPorts, 'db'>, Required<Pick<Wanted, 'query' | 'wide'>> {
  readonly collection: Collection
}

/** Searches for the words of a question; in a wide search, also for what mistyped ones mean. */
async function searchWords(
  searched: Searched,
  words: readonly QuestionWord[],
): Promise<WordSearch> {
  const found = await search(searched, words)
  if (searched.wide === notWidened) return found
  const reader = readerOf(searched.db, searched.collection)
  const wide = await widenCorrected(reader, { ...searched, known: found.known })
  return wide === searched.wide ? found : await search({ ...searched, wide }, words)
}

async function search(searched: Searched, words: readonly QuestionWord[]): Promise<WordSearch> {
  const { db, collection, wide } = searched
  if (words.length === 0) return { words, wide, known: new Map(), rank: () => Promise.resolve([]) }
  const query = { collection, terms: new Map([...wide.terms, ...formsOf(words)]) }
  return { words, wide, ...(await searchTerms(db, readerOf(db, collection), query)) }
}

/**
 * Searches for single characters as well, unless the agent knows one of the pairs. A person who asks
 * for a refund in other words than the text still shares a character with it; beside a pair that is
 * known, single characters would only add noise, as they would beside vectors.
 */
async function withCharacters(searched: Searched, texts: WordSearch): Promise<WordSearch> {
  const pairs = hanPairs(texts.words)
  if (pairs.length === 0 || pairs.some((pair) => texts.known.has(pair))) return texts
  return await search({ ...searched, wide: texts.wide }, [
    ...texts.words,
    ...singleCharacters(pairs),
  ])
}

interface Embedded {
  readonly db: QueryPorts['db']
  readonly wanted: Wanted
  readonly collection: Collection
  readonly answers: ReadonlySet<string>
  readonly question: EmbeddedQuery
}

async function findByBoth(of: Embedded, texts: WordSearch, limit: number): Promise<FoundChunk[]> {
  const { wanted, answers } = of
  const depth = Math.max(limit, fusedDepth)
  // Vectors first: SQLite compares them in another thread, while full text ranks in this one.
  const [vector, fulltext] = await Promise.all([
    findByVector(of, depth),
    findByFulltext(texts, { ...wanted, answers }, depth),
  ])
  const weight = wanted.vectorWeight ?? weightOfVectors(unknownPart(texts.words, texts.known))
  return fuseRanks(fulltext, vector, weight).slice(0, limit)
}

async function findByFulltext(
  texts: WordSearch,
  { minScore, answers }: Pick<Wanted, 'minScore'> & Pick<Embedded, 'answers'>,
  limit: number,
): Promise<FoundChunk[]> {
  const scored = await texts.rank(depthFor(answers, limit))
  const enough = scored.filter(({ score }) => score >= minScore)
  return best(byFulltext(enough), answers, limit)
}

function best(
  found: readonly FoundChunk[],
  answers: ReadonlySet<string>,
  limit: number,
): FoundChunk[] {
  const ordered = answers.size === 0 ? found : answersFirst(found, answers)
  return ordered.slice(0, limit)
}

/** An answer below the limit may belong above it. */
function depthFor(answers: ReadonlySet<string>, limit: number): number {
  return answers.size === 0 ? limit : Math.max(limit, fusedDepth)
}

async function findByVector(
  { db, question, wanted, collection, answers }: Embedded,
  limit: number,
): Promise<FoundChunk[]> {
  const { agentId, minScore } = wanted
  // Without a minimum every chunk counts, even with a similarity of -1.
  const minSimilarity = minScore === 0 ? -1.001 : minScore
  const chunkCount = collection.chunk_count
  const depth = depthFor(answers, limit)
  const query = { ...question, agentId, minSimilarity, limit: depth, chunkCount }
  const near = await vectorIndex(db).rank(readerOf(db, collection), query)
  return best(byVector(near), answers, limit)
}

function readerOf(db: QueryPorts['db'], { chunk_count }: Collection) {
  return chunk_count <= maxChunksOnMainThread ? db.read : db.search
}

export function byFulltext(chunks: readonly ScoredChunk[]): FoundChunk[] {
  return chunks.map(({ chunkId, sourceId, score }, at) => ({
    chunkId,
    sourceId,
    score,
    why: { fulltext: { rank: at + 1, score }, vector: null },
  }))
}
