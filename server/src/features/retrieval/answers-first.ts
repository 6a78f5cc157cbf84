import type { FoundChunk } from './fuse-ranks.ts'

/** How much nearer to a perfect similarity an answer is treated. */
const nearer = 0.25

/**
 * Found chunks, best first, with the chunks of answers ranked above others: a score from full text
 * is doubled, and a quarter of the distance is removed from chunks that only vectors found. So an
 * answer outranks the best passage if it fits the question at least about half as well, and an
 * answer to another question does not. `why` has the new ranks and the unchanged scores.
 */
export function answersFirst(
  found: readonly FoundChunk[],
  answers: ReadonlySet<string>,
): FoundChunk[] {
  if (!found.some(({ sourceId }) => answers.has(sourceId))) return [...found]
  return found
    .map((one) => (answers.has(one.sourceId) ? { ...one, score: raised(one) } : one))
    .toSorted((one, other) => other.score - one.score || one.chunkId - other.chunkId)
    .map((one, at) => ({ ...one, why: ranked(one.why, at + 1) }))
}

function raised({ score, why }: FoundChunk): number {
  return why.fulltext === null ? score + (1 - score) * nearer : 2 * score
}

function ranked({ fulltext, vector }: FoundChunk['why'], rank: number): FoundChunk['why'] {
  return {
    fulltext: fulltext && { ...fulltext, rank },
    vector: vector && { ...vector, rank },
  }
}
