import type { DatabaseSync } from 'node:sqlite'
import { isBusy, isStorageLost } from './sqlite/sqlite-errors.ts'

/**
 * Refreshes the query planner's statistics, unless another process is writing or the disk is full:
 * then the next close does it. For indexes of all tables, not only of those that this connection used,
 * and from a sample: `pragma optimize = 0x10012` (SQLite, PRAGMA optimize).
 */
export function renewStatistics(
  raw: DatabaseSync,
  pragma: 'pragma optimize' | 'pragma optimize = 0x10012',
): void {
  try {
    raw.exec(pragma)
  } catch (error) {
    if (!isBusy(error) && !isStorageLost(error)) throw error
  }
}
