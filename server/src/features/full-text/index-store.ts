import type { Reader, Tx } from '#platform/db/database.ts'

/** The usual constants of BM25. FTS5 has the same ones and allows no others. */
export const k1 = 1.2
export const b = 0.75

/** How much more a term in the title or a heading counts than one in the text. */
export const headingWeight = 2

/**
 * A term in more than this share of an agent's chunks hardly distinguishes them and costs the most
 * to score. It is used only if the question has no rarer one. In collections smaller than
 * `alwaysCounted` chunks every term is used, because it costs nothing.
 */
export const commonPart = 0.25
export const alwaysCounted = 1000

/** A chunk as the index sees it. Terms are those of `analyse`, in order, with repetitions. */
export interface IndexedChunk {
  readonly id: number
  /** The title of the source and the headings above the chunk. */
  readonly headingTerms: readonly string[]
  readonly bodyTerms: readonly string[]
}

export interface ScoredChunk {
  readonly chunkId: number
  readonly sourceId: string
  /** BM25: positive, larger is better, without an upper bound. */
  readonly score: number
}

export interface IndexQuery {
  readonly collection: {
    readonly id: number
    readonly chunk_count: number
    readonly term_count: number
  }
  readonly agentId: string
  /** Distinct. */
  readonly terms: readonly string[]
  readonly limit: number
}

/** Full text search on both engines: the same terms, the same formula. */
export interface SearchIndex {
  add(tx: Tx, collectionId: number, chunks: readonly IndexedChunk[]): Promise<void>
  /**
   * Removes the entries of these chunks, to be called before the chunks are deleted or added again. It
   * may also remove entries of later chunks of the same document, but never of earlier ones, so chunks
   * are passed in order.
   */
  removeChunks(tx: Tx, chunkIds: readonly number[]): Promise<void>
  /** The last chunk whose entries `removeChunks` would remove for these chunks, which are in order. */
  lastRemoved(reader: Reader, chunkIds: readonly number[]): Promise<number>
  /** Those of the distinct terms that any chunk of the collection contains. */
  findKnown(
    reader: Reader,
    collectionId: number,
    terms: readonly string[],
  ): Promise<ReadonlySet<string>>
  /** Chunks of ready documents that contain any of the terms, best first. */
  rank(reader: Reader, query: IndexQuery): Promise<ScoredChunk[]>
}
