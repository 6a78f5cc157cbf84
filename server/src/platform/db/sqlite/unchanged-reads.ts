import type { Value } from '#platform/db/database.ts'
import type { Run } from '#platform/db/kysely-on.ts'

/** Beyond this number of rows for one statement, all of them are forgotten. */
const maxKept = 1_000

const turnTables = '(?:chat_sessions|chat_messages|credit_entries|credit_windows)'
const turnStatement = new RegExp(`^(?:select |(?:insert into|update) "${turnTables}" )`)
const usesTurns = new RegExp(`\\b${turnTables}\\b`)

/**
 * Grows with each commit that may change rows that are kept. The statements of turns do not: nothing is
 * kept of their tables, whose triggers only refuse changes, and no foreign key acts on what turns change.
 */
export class KeptVersion {
  #changes = 0
  #committed = 0

  get value(): number {
    return this.#committed
  }

  /** To be called for each statement of a unit. */
  ran(sql: string): void {
    if (!turnStatement.test(sql)) this.#changes += 1
  }

  /** To be called after each commit. */
  committed(): void {
    this.#committed = this.#changes
  }
}

export interface SharedState {
  /** Whether no other call could share a look at the version. */
  readonly isAlone: boolean
  /** @throws inside a unit */
  refuse(): void
  /**
   * Changes when another process has committed, or this one has (`KeptVersion`). Null when it is
   * unknown.
   */
  version(): string | null
  /** Called for kept rows. @returns a promise to await before they are used */
  afterRead(): Promise<void> | null
}

/**
 * Reads that are repeated only after a commit that may have changed their rows. A turn's own commit does
 * not: after each commit, a reading connection begins with an empty cache, so finding a key with its
 * agent takes a tenth of the turn of a lone caller.
 *
 * @param run of a connection that never writes
 */
export function unchangedReads(run: Run, state: SharedState) {
  /** By statement, then by values. */
  const kept = new Map<string, Map<string, readonly unknown[]>>()
  let keptVersion: string | null = null
  const versionForAll = sharedLook(() => state.version())
  return async (sql: string, values: readonly Value[]): Promise<readonly unknown[]> => {
    state.refuse()
    const version = state.isAlone ? state.version() : await versionForAll()
    if (version === null || version !== keptVersion) kept.clear()
    keptVersion = version
    const ofStatement = kept.get(sql) ?? new Map<string, readonly unknown[]>()
    const key = JSON.stringify(values)
    const known = ofStatement.get(key)
    if (known !== undefined) {
      const wait = state.afterRead()
      if (wait !== null) await wait
      return known
    }
    const { rows } = await run(sql, values)
    // A later call may have seen a commit that these rows do not contain.
    if (version !== null && version === keptVersion && !usesTurns.test(sql)) {
      if (ofStatement.size >= maxKept) ofStatement.clear()
      kept.set(sql, ofStatement.set(key, rows))
    }
    return rows
  }
}

/**
 * One look for all calls of a turn of the event loop. It takes locks on the database's files, which
 * costs as much as a statement. It comes after all of these calls, so none sees an older state.
 */
function sharedLook<T>(look: () => T): () => Promise<T> {
  let next: Promise<T> | null = null
  return () =>
    (next ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      next = null
      return look()
    }))
}
