import type { DatabaseSync } from 'node:sqlite'
import { getLoadablePath } from 'sqlite-vec'

/**
 * Loads the vector functions of sqlite-vec, if it has a build for this platform; without them,
 * searches use full text alone. The connection must have been opened with `allowExtension`, which is
 * then turned off again.
 *
 * @returns why they are unavailable; null when they are available
 */
export function loadVectorFunctions(raw: DatabaseSync): string | null {
  try {
    raw.loadExtension(getLoadablePath())
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    raw.enableLoadExtension(false)
  }
}
