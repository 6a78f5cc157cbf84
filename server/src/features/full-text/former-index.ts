import type { Tx } from '#platform/db/database.ts'
import type { IndexedChunk, SearchIndex } from './index-store.ts'

/**
 * A term in more than this share of an agent's chunks hardly distinguishes them and costs the most
 * to score. It is used only if the question has no rarer one. In collections smaller than
 * `alwaysCounted` chunks every term is used, because it costs nothing.
 */
export const commonPart = 0.25
export const alwaysCounted = 1000

export interface FormerIndex extends SearchIndex {
  add(tx: Tx, collectionId: number, chunks: readonly IndexedChunk[]): Promise<void>
  /**
   * Removes the entries of these chunks, to be called before the chunks are deleted. It may also remove
   * entries of later chunks of the same document, but never of earlier ones, so chunks are passed in
   * order.
   */
  removeChunks(tx: Tx, chunkIds: readonly number[]): Promise<void>
}
