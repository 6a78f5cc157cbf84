import type { Reader, Tx } from '#platform/db/database.ts'

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

/** Full text as both engines offer it: the same terms, the same formula. */
export interface SearchIndex {
  add(tx: Tx, collectionId: number, chunks: readonly IndexedChunk[]): Promise<void>
  /** To be called before the chunks of the source or document are deleted. */
  remove(tx: Tx, of: 'source_id' | 'document_id', id: string): Promise<void>
  /**
   * Takes out what the index has of these chunks, which are to be added anew. It may take out what it
   * has of those that follow them in their document, but of none before: so chunks are given in order.
   */
  removeChunks(tx: Tx, chunkIds: readonly number[]): Promise<void>
  /** The last of these chunks, which are in order, or of those that `removeChunks` takes out with them. */
  lastRemoved(reader: Reader, chunkIds: readonly number[]): Promise<number>
  /** Those of the terms, which are distinct, that any chunk of the collection holds. */
  findKnown(
    reader: Reader,
    collectionId: number,
    terms: readonly string[],
  ): Promise<ReadonlySet<string>>
  /** Chunks of ready documents that hold any of the terms, best first. */
  rank(reader: Reader, query: IndexQuery): Promise<ScoredChunk[]>
}
