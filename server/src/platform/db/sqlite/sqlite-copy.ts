import type { DatabaseSync } from 'node:sqlite'
import {
  migrationsTableName,
  orderByReferences,
  quoted,
  rowsPerBatch,
  type Cell,
  type CopyHeader,
  type RowBatch,
  type RowSource,
  type TableShape,
} from '#platform/db/row-source.ts'
import { hasTable, readApplied, readFingerprint } from './sqlite-status.ts'

/**
 * The rows of a SQLite database that does not change while they are read, without the full-text index,
 * which keeps terms instead of rows.
 */
export function sqliteRows(raw: DatabaseSync, takenAt: number): RowSource {
  const shapes = sqliteTables(raw)
  const tables = orderByReferences(shapes, readReferences(raw, shapes))
  const header: CopyHeader = {
    engine: 'sqlite',
    takenAt,
    migrations: readApplied(raw),
    tables,
    counters: readCounters(raw),
    keyFingerprint: readFingerprint(raw),
  }
  return { header, batches: () => readBatches(raw, tables) }
}

/** Plain tables, without virtual tables, their shadow tables and SQLite's internal ones. */
export function sqliteTables(raw: DatabaseSync): TableShape[] {
  const names = raw
    .prepare(
      `select name from pragma_table_list
       where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'
         and name <> ?`,
    )
    .all(migrationsTableName)
  return names.map(({ name }) => {
    const columns = raw.prepare('select name from pragma_table_info(?)').all(String(name))
    return { name: String(name), columns: columns.map((column) => String(column.name)) }
  })
}

function readReferences(raw: DatabaseSync, tables: readonly TableShape[]): [string, string][] {
  return tables.flatMap(({ name }) =>
    raw
      .prepare('select "table" as target from pragma_foreign_key_list(?)')
      .all(name)
      .map(({ target }): [string, string] => [name, String(target)]),
  )
}

/** Only `autoincrement` columns have a counter. */
function readCounters(raw: DatabaseSync): Record<string, number> {
  if (!hasTable(raw, 'sqlite_sequence')) return {}
  const rows = raw.prepare('select name, seq from sqlite_sequence').all()
  return Object.fromEntries(rows.map(({ name, seq }) => [String(name), Number(seq)]))
}

export async function* readBatches(
  raw: DatabaseSync,
  tables: readonly TableShape[],
): AsyncGenerator<RowBatch> {
  for (const { name, columns } of tables) {
    const list = columns.map(quoted).join(', ')
    const statement = raw.prepare(`select ${list} from ${quoted(name)}`)
    statement.setReturnArrays(true)
    let rows: Cell[][] = []
    // setReturnArrays makes each row an array of SQLite's values.
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<Cell[]>) {
      rows.push(row)
      if (rows.length < rowsPerBatch) continue
      yield { table: name, rows }
      rows = []
    }
    if (rows.length > 0) yield { table: name, rows }
  }
}
