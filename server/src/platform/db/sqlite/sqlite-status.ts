import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { readMigrations, type Migration } from '#platform/db/migration-files.ts'
import {
  appliedQuery,
  statusOf,
  type AppliedMigration,
  type SchemaStatus,
} from '#platform/db/plan-migrations.ts'

/** @throws SchemaError as planMigrations does */
export function sqliteStatus(file: string): SchemaStatus {
  const known = readMigrations('sqlite')
  if (!existsSync(file)) return statusOf(known, [])
  using raw = new DatabaseSync(file, { readOnly: true })
  return statusOf(known, hasTable(raw, 'schema_migrations') ? readApplied(raw) : [])
}

export function readApplied(raw: DatabaseSync): AppliedMigration[] {
  // The columns are those of appliedQuery.
  return raw.prepare(appliedQuery).all() as unknown as AppliedMigration[]
}

/** Runs a migration and records it, within the caller's transaction. */
export function applyMigration(raw: DatabaseSync, { version, name, sql, sha256 }: Migration): void {
  raw.exec(sql)
  const insert = raw.prepare('insert into schema_migrations values (?, ?, ?, ?)')
  insert.run(version, name, sha256, Date.now())
}

export function hasTable(raw: DatabaseSync, name: string): boolean {
  return raw.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined
}

/** The fingerprint of the secret key that sealed the database's values; null before its first start. */
export function readFingerprint(raw: DatabaseSync): string | null {
  const row = raw.prepare("select value from meta where key = 'secret_key_fingerprint'").get()
  return typeof row?.value === 'string' ? row.value : null
}
