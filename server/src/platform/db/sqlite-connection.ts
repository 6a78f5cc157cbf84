import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { checkParameters } from './parameters.ts'
import { isUniqueViolation } from './sqlite-errors.ts'

interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
}

const mostPrepared = 500

/**
 * One SQLite connection as Kysely sees it. Statements are prepared once and kept; beyond the bound
 * the oldest makes room.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly raw: DatabaseSync
  private readonly prepared = new Map<string, Prepared>()

  constructor(raw: DatabaseSync) {
    this.raw = raw
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.run<R>(query.sql, query.parameters)
  }

  /** @throws Fault unique_violation, so that callers need not know an engine's codes */
  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    checkParameters(parameters)
    const { statement, givesRows } = this.prepare(sql)
    // checkParameters left only what SQLite binds.
    const values = parameters as SQLInputValue[]
    try {
      // node:sqlite gives rows without a prototype; spreading makes them plain objects.
      if (givesRows) return { rows: statement.all(...values).map((row) => ({ ...row }) as R) }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      throw isUniqueViolation(error)
        ? new Fault(commonFaults.unique_violation, {}, { cause: error })
        : error
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    checkParameters(query.parameters)
    // A statement of its own: a cached one may be run again while this one is being read.
    const statement = this.raw.prepare(query.sql)
    for (const row of statement.iterate(...(query.parameters as SQLInputValue[])))
      yield { rows: [{ ...row } as R] }
  }

  private prepare(sql: string): Prepared {
    const known = this.prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.raw.prepare(sql)
    const prepared = { statement, givesRows: statement.columns().length > 0 }
    if (this.prepared.size >= mostPrepared) {
      const [oldest] = this.prepared.keys()
      if (oldest !== undefined) this.prepared.delete(oldest)
    }
    this.prepared.set(sql, prepared)
    return prepared
  }
}
