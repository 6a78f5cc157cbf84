import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'

/** The usual constants of BM25. FTS5 has the same ones and allows no others. */
export const k1 = 1.2
export const b = 0.75

/** How much more a term in the title or a heading counts than one in the text. */
export const headingWeight = 2

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

type SearchedCollection = Selectable<Schema['knowledge_collections']>

export interface TermsQuery {
  readonly collection: SearchedCollection
  /** Distinct terms and how often the question contains each. */
  readonly terms: ReadonlyMap<string, number>
}

/** What an index has of a question's terms. It is read once, however often it is ranked. */
export interface TermSearch {
  /**
   * How many chunks of the collection contain each of the terms; terms of no chunk are missing. An index
   * from before segments does not count, so there it is 1.
   */
  readonly known: ReadonlyMap<string, number>
  /** Chunks of ready documents that contain any of the terms, best first. */
  rank(limit: number): Promise<ScoredChunk[]>
}
