import type { DatabaseSync } from 'node:sqlite'
import { appliedQuery, type AppliedMigration } from './plan-migrations.ts'
import {
  migrationsTableName,
  orderByReferences,
  rowsPerBatch,
  type Cell,
  type CopyHeader,
  type RowBatch,
  type RowSource,
  type TableShape,
} from './row-source.ts'

/**
 * The rows of a SQLite database that does not change meanwhile. The full-text index is none of them:
 * it keeps terms, not rows.
 */
export function sqliteRows(raw: DatabaseSync, takenAt: number): RowSource {
  const tables = orderByReferences(sqliteTables(raw), readReferences(raw))
  const header: CopyHeader = {
    engine: 'sqlite',
    takenAt,
    // The columns are those of appliedQuery.
    migrations: raw.prepare(appliedQuery).all() as unknown as AppliedMigration[],
    tables,
    counters: readCounters(raw),
    keyFingerprint: readFingerprint(raw),
  }
  return { header, batches: () => readBatches(raw, tables) }
}

/** Plain tables: neither virtual ones, nor what stands behind them, nor SQLite's own. */
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

function readReferences(raw: DatabaseSync): [string, string][] {
  return sqliteTables(raw).flatMap(({ name }) =>
    raw
      .prepare('select "table" as target from pragma_foreign_key_list(?)')
      .all(name)
      .map(({ target }): [string, string] => [name, String(target)]),
  )
}

/** Only `autoincrement` columns have a counter. */
function readCounters(raw: DatabaseSync): Record<string, number> {
  const has = raw.prepare("select 1 from sqlite_schema where name = 'sqlite_sequence'").get()
  if (has === undefined) return {}
  const rows = raw.prepare('select name, seq from sqlite_sequence').all()
  return Object.fromEntries(rows.map(({ name, seq }) => [String(name), Number(seq)]))
}

function readFingerprint(raw: DatabaseSync): string | null {
  const row = raw.prepare("select value from meta where key = 'secret_key_fingerprint'").get()
  return typeof row?.value === 'string' ? row.value : null
}

async function* readBatches(
  raw: DatabaseSync,
  tables: readonly TableShape[],
): AsyncGenerator<RowBatch> {
  for (const { name, columns } of tables) {
    const list = columns.map(quoted).join(', ')
    const statement = raw.prepare(`select ${list} from ${quoted(name)}`)
    statement.setReturnArrays(true)
    let rows: Cell[][] = []
    // With arrays asked for, each row is one, of values as SQLite has them.
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<Cell[]>) {
      rows.push(row)
      if (rows.length < rowsPerBatch) continue
      yield { table: name, rows }
      rows = []
    }
    if (rows.length > 0) yield { table: name, rows }
  }
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
