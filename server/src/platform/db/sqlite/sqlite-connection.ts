import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import type { Value } from '#platform/db/database.ts'
import { bindable } from '#platform/db/parameters.ts'
import { noteDuration } from '#platform/db/slow-statements.ts'
import { sqliteFault } from './sqlite-errors.ts'

interface Prepared {
  readonly statement: StatementSync
  /** Empty for a statement that gives no rows. */
  columns: readonly string[]
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
    return this.noted(sql, parameters, (prepared, values) => {
      if (prepared.columns.length > 0) return { rows: allOf<R>(prepared, values) }
      const { changes } = prepared.statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes) }
    })
  }

  /** The same for who wants only the rows: counting the changed ones takes a fifth of an insert. */
  rows(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    return this.noted(sql, parameters, allOf)
  }

  private noted<T>(
    sql: string,
    parameters: readonly unknown[],
    run: (prepared: Prepared, values: readonly Value[]) => T,
  ): T {
    const values = bindable(parameters)
    const began = performance.now()
    try {
      return run(this.prepare(sql), values)
    } catch (error) {
      throw sqliteFault(error)
    } finally {
      noteDuration(sql, began)
    }
  }

  private prepare(sql: string): Prepared {
    const known = this.prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.raw.prepare(sql)
    const columns = namesOf(statement)
    // Objects of node:sqlite have no prototype, and copying them takes as long as reading the row.
    statement.setReturnArrays(true)
    // When FTS5 flushes its index, the last inserted row id may exceed 2^53; read as a number, it
    // would make `run` throw after the statement has succeeded.
    if (columns.length === 0) statement.setReadBigInts(true)
    const prepared = { statement, columns }
    if (this.prepared.size >= maxPrepared) {
      const [oldest] = this.prepared.keys()
      if (oldest !== undefined) this.prepared.delete(oldest)
    }
    this.prepared.set(sql, prepared)
    return prepared
  }
}

function allOf<R>(prepared: Prepared, values: readonly Value[]): R[] {
  const { statement, columns } = prepared
  // Its type does not know setReturnArrays.
  const found = statement.all(...values) as unknown as readonly SQLOutputValue[][]
  // SQLite compiles `select *` again after another process has added a column.
  if (found[0] !== undefined && found[0].length !== columns.length)
    prepared.columns = namesOf(statement)
  return found.map((row) => objectOf(prepared.columns, row) as R)
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}

function objectOf(
  columns: readonly string[],
  row: readonly SQLOutputValue[],
): Record<string, SQLOutputValue | undefined> {
  const object: Record<string, SQLOutputValue | undefined> = {}
  let at = 0
  for (const column of columns) object[column] = row[at++]
  return object
}
