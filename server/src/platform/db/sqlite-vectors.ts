import type { DatabaseSync } from 'node:sqlite'
import { getLoadablePath } from 'sqlite-vec'

/**
 * Gives a connection the vector functions of sqlite-vec, if there is a build of it for this platform;
 * without, searches find by full text alone. The connection must have been opened with
 * `allowExtension`; from then on no SQL can load anything else.
 *
 * @returns why there are none; null when there are
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
