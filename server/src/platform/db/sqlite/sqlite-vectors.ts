import type { DatabaseSync } from 'node:sqlite'
import { getLoadablePath } from 'sqlite-vec'
import { defineVectorBlocks } from './vector-block-functions.ts'

/**
 * Loads the vector functions of sqlite-vec, if it has a build for this platform, and our own for vector
 * blocks; without them, searches use full text alone. The connection must have been opened with `allowExtension`, which is
 * then turned off again.
 *
 * @param maxCachedBytes see `defineVectorBlocks`
 * @returns why they are unavailable; null when they are available
 */
export function loadVectorFunctions(raw: DatabaseSync, maxCachedBytes = 0): string | null {
  try {
    raw.loadExtension(getLoadablePath())
    defineVectorBlocks(raw, maxCachedBytes)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    raw.enableLoadExtension(false)
  }
}
