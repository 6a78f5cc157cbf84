import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Value } from './database.ts'
import { bindable } from './parameters.ts'
import { sqliteFault } from './sqlite-errors.ts'

interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
}

const maxPrepared = 500

/**
 * One SQLite connection. It keeps prepared statements, up to a bound; the oldest is dropped first.
 */
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

  /** Row by row. A statement of its own: a kept one may be run again while this one is being read. */
  *iterate<R>({ sql, parameters }: CompiledQuery): IterableIterator<QueryResult<R>> {
    const statement = this.raw.prepare(sql)
    // The row is what the statement selects; its type is Kysely's.
    for (const row of statement.iterate(...bindable(parameters))) yield { rows: [{ ...row } as R] }
  }

  private execute<R>(sql: string, values: readonly Value[]): QueryResult<R> {
    const { statement, givesRows } = this.prepare(sql)
    // node:sqlite gives rows without a prototype; spreading makes them plain objects.
    if (givesRows) return { rows: statement.all(...values).map((row) => ({ ...row }) as R) }
    // Bigints by the setting in prepare.
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }

  private prepare(sql: string): Prepared {
    const known = this.prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.raw.prepare(sql)
    const givesRows = statement.columns().length > 0
    // FTS5 flushes its index on commit and leaves row ids beyond 2^53 as the last ones inserted;
    // read as numbers they would make `run` throw after the statement has been done.
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
