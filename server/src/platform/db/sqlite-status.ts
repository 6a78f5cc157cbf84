import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from './migration-files.ts'
import {
  appliedQuery,
  statusOf,
  type AppliedMigration,
  type SchemaStatus,
} from './plan-migrations.ts'

/** @throws SchemaError as planMigrations does */
export function sqliteStatus(file: string): SchemaStatus {
  const known = readMigrations('sqlite')
  if (!existsSync(file)) return statusOf(known, [])
  const raw = new DatabaseSync(file, { readOnly: true })
  try {
    const table = "select 1 from sqlite_schema where name = 'schema_migrations'"
    return statusOf(known, raw.prepare(table).get() === undefined ? [] : readApplied(raw))
  } finally {
    raw.close()
  }
}

export function readApplied(raw: DatabaseSync): AppliedMigration[] {
  // The columns are those of appliedQuery.
  return raw.prepare(appliedQuery).all() as unknown as AppliedMigration[]
}
