import type { Value } from './database.ts'
import type { Run } from './kysely-on.ts'

/** Beyond this number of rows for one statement, all of them are forgotten. */
const maxKept = 1_000

/**
 * Reads that are repeated only after a commit. SQLite's `data_version` changes on a connection when any
 * other connection has committed, also that of another process (SQLite, PRAGMA data_version). It takes a
 * tenth of the time of the read that finds a key with its agent.
 *
 * @param run of a connection that never writes
 */
export function unchangedReads(run: Run) {
  /** By statement, then by values. */
  const kept = new Map<string, Map<string, readonly unknown[]>>()
  let keptVersion: number | undefined
  return async (sql: string, values: readonly Value[]): Promise<readonly unknown[]> => {
    const [state] = (await run<{ data_version: number }>('pragma data_version', [])).rows
    const version = state?.data_version
    if (version !== keptVersion) kept.clear()
    keptVersion = version
    const ofStatement = kept.get(sql) ?? new Map<string, readonly unknown[]>()
    const key = JSON.stringify(values)
    const known = ofStatement.get(key)
    if (known !== undefined) return known
    const { rows } = await run(sql, values)
    // A later call may have seen a commit that these rows do not contain.
    if (version === keptVersion) {
      if (ofStatement.size >= maxKept) ofStatement.clear()
      kept.set(sql, ofStatement.set(key, rows))
    }
    return rows
  }
}
