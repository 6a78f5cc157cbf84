import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import type { Value } from './database.ts'
import { bindable } from './parameters.ts'
import { sqliteFault } from './sqlite-errors.ts'

interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
}

const maxPrepared = 500

/** One SQLite connection with a bounded cache of prepared statements; the oldest is dropped first. */
export class SqliteConnection {
  readonly raw: DatabaseSync
  private readonly prepared = new Map<string, Prepared>()

  constructor(raw: DatabaseSync) {
    this.raw = raw
  }

  /** @throws Fault unique_violation or database_unavailable, so that no caller needs SQLite's codes */
  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const values = bindable(parameters)
    try {
      return this.execute(sql, values)
    } catch (error) {
      throw sqliteFault(error)
    }
  }

  private execute<R>(sql: string, values: readonly Value[]): QueryResult<R> {
    const { statement, givesRows } = this.prepare(sql)
    // node:sqlite returns rows without a prototype; spreading them creates plain objects.
    if (givesRows) return { rows: statement.all(...values).map((row) => ({ ...row }) as R) }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }

  private prepare(sql: string): Prepared {
    const known = this.prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.raw.prepare(sql)
    const givesRows = statement.columns().length > 0
    // When FTS5 flushes its index, the last inserted row id may exceed 2^53; read as a number, it
    // would make `run` throw after the statement has succeeded.
    if (!givesRows) statement.setReadBigInts(true)
    const prepared = { statement, givesRows }
    if (this.prepared.size >= maxPrepared) {
      const [oldest] = this.prepared.keys()
      if (oldest !== undefined) this.prepared.delete(oldest)
    }
    this.prepared.set(sql, prepared)
    return prepared
  }
}
