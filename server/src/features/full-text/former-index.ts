import type { Reader, Tx } from '#platform/db/database.ts'
import type { IndexedChunk, ScoredChunk, TermsQuery } from './index-store.ts'

/**
 * A term in more than this share of an agent's chunks hardly distinguishes them and costs the most
 * to score. It is used only if the question has no rarer one. In collections smaller than
 * `alwaysCounted` chunks every term is used, because it costs nothing.
 */
export const commonPart = 0.25
export const alwaysCounted = 1000

export interface RankQuery extends TermsQuery {
  readonly limit: number
}

export interface FormerIndex {
  add(tx: Tx, collectionId: number, chunks: readonly IndexedChunk[]): Promise<void>
  /**
   * Removes the entries of these chunks, to be called before the chunks are deleted. It may also remove
   * entries of later chunks of the same document, but never of earlier ones, so chunks are passed in
   * order.
   */
  removeChunks(tx: Tx, chunkIds: readonly number[]): Promise<void>
  findKnown(reader: Reader, query: TermsQuery): Promise<ReadonlySet<string>>
  rank(reader: Reader, query: RankQuery): Promise<ScoredChunk[]>
}
