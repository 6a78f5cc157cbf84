import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from '#platform/db/migration-files.ts'
import { migrationsTable } from '#platform/db/plan-migrations.ts'
import {
  batchesInto,
  quoted,
  refuseUnknownSchema,
  schemaOf,
  type RowSource,
} from '#platform/db/row-source.ts'
import { refuseBrokenReferences } from './sqlite-backup.ts'
import { sqliteTables } from './sqlite-copy.ts'
import { applyMigration, hasTable } from './sqlite-status.ts'

/**
 * Creates a SQLite database from a copy, with the copy's schema; the next start migrates it. `file`
 * must not exist.
 *
 * @throws BackupError when the rows do not fit together; SchemaError when their schema is newer than
 *   this service
 */
export async function loadSqlite(file: string, source: RowSource): Promise<void> {
  refuseUnknownSchema('sqlite', source.header)
  using raw = new DatabaseSync(file)
  // Foreign keys are checked once at the end: a row may refer to a later row of the same table.
  raw.exec('pragma foreign_keys = off; begin')
  createSchema(raw, schemaOf(source.header))
  await loadRows(raw, source)
  setCounters(raw, source.header.counters)
  refuseBrokenReferences(raw)
  raw.exec('commit')
}

/** The schema of version `schema`, with empty tables. */
export function createSchema(raw: DatabaseSync, schema: number): void {
  raw.exec(migrationsTable)
  for (const migration of readMigrations('sqlite'))
    if (migration.version <= schema) applyMigration(raw, migration)
  // Migrations may insert rows that the copy contains as well.
  for (const { name } of sqliteTables(raw)) raw.exec(`delete from ${quoted(name)}`)
}

async function loadRows(raw: DatabaseSync, source: RowSource): Promise<void> {
  const tables = new Set(sqliteTables(raw).map(({ name }) => name))
  for await (const { name, columns, rows } of batchesInto(tables, source)) {
    const places = columns.map(() => '?').join(', ')
    const into = `${quoted(name)} (${columns.map(quoted).join(', ')})`
    const insert = raw.prepare(`insert into ${into} values (${places})`)
    for (const row of rows) insert.run(...row)
  }
}

/**
 * SQLite keeps a counter for `autoincrement` columns only, and creates it with the first row of the
 * table.
 */
export function setCounters(raw: DatabaseSync, counters: Readonly<Record<string, number>>): void {
  if (!hasTable(raw, 'sqlite_sequence')) return
  const raise = raw.prepare('update sqlite_sequence set seq = max(seq, ?) where name = ?')
  const create = raw.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
  const counted = raw.prepare(
    "select 1 from sqlite_schema where name = ? and sql like '%autoincrement%'",
  )
  for (const [table, last] of Object.entries(counters)) {
    if (counted.get(table) === undefined) continue
    if (Number(raise.run(last, table).changes) === 0) create.run(table, last)
  }
}
