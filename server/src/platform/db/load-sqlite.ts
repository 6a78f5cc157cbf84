import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from './migration-files.ts'
import { migrationsTable } from './plan-migrations.ts'
import {
  migrationsTableName,
  refuseUnknownSchema,
  schemaOf,
  type Cell,
  type CopyProgress,
  type RowSource,
} from './row-source.ts'
import { BackupError } from './sqlite-backup.ts'
import { quoted, sqliteTables } from './sqlite-copy.ts'

/**
 * Makes a SQLite database of a copy, at the copy's schema: the next start brings it to the present
 * one. `file` must not be there.
 *
 * @throws BackupError when the rows do not fit together; SchemaError when they are of a newer schema
 */
export async function loadSqlite(
  file: string,
  source: RowSource,
  onProgress: CopyProgress,
): Promise<void> {
  refuseUnknownSchema('sqlite', source.header)
  const raw = new DatabaseSync(file)
  try {
    // Foreign keys are checked once at the end: a row may refer to a later row of the same table.
    raw.exec('pragma foreign_keys = off; begin')
    makeSchema(raw, schemaOf(source.header))
    await loadRows(raw, source, onProgress)
    setCounters(raw, source.header.counters)
    if (raw.prepare('pragma foreign_key_check').all().length > 0)
      throw new BackupError('it has rows that refer to rows that are not there')
    raw.exec('commit')
  } finally {
    raw.close()
  }
}

function makeSchema(raw: DatabaseSync, schema: number): void {
  raw.exec(migrationsTable)
  const insert = raw.prepare(`insert into ${migrationsTableName} values (?, ?, ?, ?)`)
  for (const { version, name, sql, sha256 } of readMigrations('sqlite')) {
    if (version > schema) continue
    raw.exec(sql)
    insert.run(version, name, sha256, Date.now())
  }
  // Migrations may insert rows, which the copy holds as well.
  for (const { name } of sqliteTables(raw)) raw.exec(`delete from ${quoted(name)}`)
}

async function loadRows(
  raw: DatabaseSync,
  { header, batches }: RowSource,
  onProgress: CopyProgress,
): Promise<void> {
  const here = new Set(sqliteTables(raw).map(({ name }) => name))
  const inserts = new Map(
    header.tables
      // A table of the other engine only, such as its full-text index, has no place here.
      .filter(({ name }) => here.has(name))
      .map(({ name, columns }) => {
        const places = columns.map(() => '?').join(', ')
        const into = `${quoted(name)} (${columns.map(quoted).join(', ')})`
        return [name, raw.prepare(`insert into ${into} values (${places})`)] as const
      }),
  )
  let done = 0
  for await (const { table, rows } of batches()) {
    const insert = inserts.get(table)
    if (insert === undefined) continue
    for (const row of rows) insert.run(...(row satisfies readonly Cell[]))
    done += rows.length
    onProgress({ table, rows: done })
  }
}

/**
 * SQLite keeps a counter for `autoincrement` columns only, and creates it with the first row of the
 * table.
 */
function setCounters(raw: DatabaseSync, counters: Readonly<Record<string, number>>): void {
  const tables = raw.prepare("select 1 from sqlite_schema where name = 'sqlite_sequence'").get()
  if (tables === undefined) return
  const raise = raw.prepare('update sqlite_sequence set seq = max(seq, ?) where name = ?')
  const make = raw.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
  const counted = raw.prepare(
    "select 1 from sqlite_schema where name = ? and sql like '%autoincrement%'",
  )
  for (const [table, last] of Object.entries(counters)) {
    if (counted.get(table) === undefined) continue
    if (Number(raise.run(last, table).changes) === 0) make.run(table, last)
  }
}
