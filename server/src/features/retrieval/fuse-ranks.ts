import type { NearChunk } from '#features/embeddings/index.ts'

/** The positions of a chunk in the lists that found it. */
export interface Why {
  readonly fulltext: { readonly rank: number; readonly score: number } | null
  readonly vector: { readonly rank: number; readonly similarity: number } | null
}

export interface FoundChunk {
  readonly chunkId: number
  readonly sourceId: string
  /** BM25, similarity or the fused score: comparable only within one result. */
  readonly score: number
  readonly why: Why
}

const rankConstant = 60

/**
 * Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): a chunk scores 1 / (60 + rank) for
 * each list it is in, times the list's weight. Ranks can be added; BM25 and cosines cannot.
 *
 * @param weight of the vectors, from 0 to 1; that of full text is 1
 */
export function fuseRanks(
  fulltext: readonly FoundChunk[],
  vector: readonly FoundChunk[],
  weight: number,
): FoundChunk[] {
  const found = new Map<number, FoundChunk>()
  for (const one of fulltext)
    found.set(one.chunkId, { ...one, score: reciprocal(one.why.fulltext) })
  for (const one of vector) {
    const known = found.get(one.chunkId)
    const score = (known?.score ?? 0) + weight * reciprocal(one.why.vector)
    const why = { fulltext: known?.why.fulltext ?? null, vector: one.why.vector }
    found.set(one.chunkId, { ...one, score, why })
  }
  return [...found.values()].sort(
    (one, other) => other.score - one.score || one.chunkId - other.chunkId,
  )
}

/** Too small to reorder the first hundred of full text: 1 / 160 + this / 61 < 1 / 159. */
const afterFulltext = 0.002

/**
 * The default weight of vectors for one question. Models differ widely, and their quality is unknown
 * here: with equal weights, a model worse than full text makes the results worse (docs/decisions/0014).
 * So if full text knows at least half of the question's words, its order stays and vectors only add what
 * it did not find. If it knows fewer, as in a question in another language, both count the same.
 *
 * @param unknownPart the part of the question's words that no chunk of the agent contains
 */
export function weightOfVectors(unknownPart: number): number {
  return unknownPart > 0.5 ? 1 : afterFulltext
}

function reciprocal(place: { readonly rank: number } | null): number {
  return place === null ? 0 : 1 / (rankConstant + place.rank)
}

export function byVector(chunks: readonly NearChunk[]): FoundChunk[] {
  return chunks.map(({ chunkId, sourceId, similarity }, at) => ({
    chunkId,
    sourceId,
    score: similarity,
    why: { fulltext: null, vector: { rank: at + 1, similarity } },
  }))
}
