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
const rankConstant = 60

/**
 * Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): a chunk scores 1 / (60 + rank) for
 * each list it is in, times the list's weight. Ranks can be added where BM25 and cosines cannot.
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

/** Too little to move a chunk past another of the first hundred: 1 / 160 + this / 61 < 1 / 159. */
const afterFulltext = 0.002

/**
 * What vectors count for in one question, where the agent does not say. Models differ more than any
 * constant can serve, and nothing tells here how good one is: with equal weights one that is worse than
 * full text drags it down (docs/decisions/0014). So where full text knows at least half of the
 * question's words its order stands, and vectors come after with what it did not find. Where it knows
 * fewer, as of a question in another language, both count the same.
 *
 * @param unknownPart the part of the question's words that no chunk of the agent holds
 */
export function weightOfVectors(unknownPart: number): number {
  return unknownPart > 0.5 ? 1 : afterFulltext
}

function reciprocal(place: { readonly rank: number } | null): number {
  return place === null ? 0 : 1 / (rankConstant + place.rank)
}
