import type { NearChunk } from './vector-index.ts'
import type { ScoredChunk } from './search-index.ts'

/** Where a chunk stands in a list that found it. */
export interface Why {
  readonly fulltext: { readonly rank: number; readonly score: number } | null
  readonly vector: { readonly rank: number; readonly similarity: number } | null
}

export interface FoundChunk {
  readonly chunkId: number
  readonly sourceId: string
  /** BM25, similarity, or what fusing gives: comparable within one answer only. */
  readonly score: number
  readonly why: Why
}

/** The constant of Cormack, Clarke and Büttcher (SIGIR 2009), who found it good and hardly sensitive. */
export const rankConstant = 60

/**
 * Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): a chunk scores 1 / (60 + rank) for
 * each list it is in, times the list's weight. Ranks can be added where BM25 and cosines cannot.
 *
 * @param weight of the vectors, from 0 to 1; that of full text is 1
 */
export function fuseRanks(
  fulltext: readonly ScoredChunk[],
  vector: readonly NearChunk[],
  weight: number,
): FoundChunk[] {
  const found = new Map<number, FoundChunk>()
  for (const one of byFulltext(fulltext))
    found.set(one.chunkId, { ...one, score: reciprocal(one.why.fulltext) })
  for (const one of byVector(vector)) {
    const known = found.get(one.chunkId)
    const score = (known?.score ?? 0) + weight * reciprocal(one.why.vector)
    const why = { fulltext: known?.why.fulltext ?? null, vector: one.why.vector }
    found.set(one.chunkId, { ...one, score, why })
  }
  return [...found.values()].sort(
    (one, other) => other.score - one.score || one.chunkId - other.chunkId,
  )
}

/** How many of the best of each list are compared. */
const compared = 20

/** What vectors count for at most where full text knows every word of the question. */
const mostBesideFulltext = 0.25

/**
 * How far the vectors are to be trusted for one question. Models differ more than any constant can
 * serve: with equal weights one that is worse than full text drags it down, as measured in
 * docs/decisions/0014. So vectors count for what full text confirms of them: the square of the part of
 * its best that they find, too. And for what full text cannot know: the square of the part of the
 * question's words that nothing here holds, all of them for a question in another language.
 */
export function weightOfVectors(
  lists: { readonly fulltext: readonly ScoredChunk[]; readonly vector: readonly NearChunk[] },
  of: { readonly chunks: number; readonly unknownPart: number },
): number {
  const { fulltext, vector } = lists
  // So few chunks are in both lists by chance: there is nothing to be told from that.
  if (fulltext.length === 0 || of.chunks <= 2 * compared) return 1
  const best = new Set(fulltext.slice(0, compared).map(({ chunkId }) => chunkId))
  const both = vector.slice(0, compared).filter(({ chunkId }) => best.has(chunkId)).length
  const agreement = both / best.size
  return Math.max(mostBesideFulltext * agreement ** 2, of.unknownPart ** 2)
}

function reciprocal(place: { readonly rank: number } | null): number {
  return place === null ? 0 : 1 / (rankConstant + place.rank)
}

export function byFulltext(chunks: readonly ScoredChunk[]): FoundChunk[] {
  return chunks.map(({ chunkId, sourceId, score }, at) => ({
    chunkId,
    sourceId,
    score,
    why: { fulltext: { rank: at + 1, score }, vector: null },
  }))
}

export function byVector(chunks: readonly NearChunk[]): FoundChunk[] {
  return chunks.map(({ chunkId, sourceId, similarity }, at) => ({
    chunkId,
    sourceId,
    score: similarity,
    why: { fulltext: null, vector: { rank: at + 1, similarity } },
  }))
}
