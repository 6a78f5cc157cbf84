import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Logger } from 'pino'
import { readMigrations, type Migration } from './migration-files.ts'
import { openConnection } from './open-sqlite.ts'
import {
  appliedQuery,
  migrationsTable,
  planMigrations,
  statusOf,
  type AppliedMigration,
  type SchemaStatus,
} from './plan-migrations.ts'

interface MigrateOptions {
  readonly file: string
  readonly log: Logger
  readonly migrations?: readonly Migration[]
}

/**
 * Brings a SQLite database to the newest schema. A database with something in it is copied first
 * (`<file>.before-NNNN`). Each migration is a transaction that is taken under the write lock, so two
 * processes cannot apply one twice and one that fails leaves nothing behind.
 *
 * @throws SchemaError as planMigrations does
 */
export async function migrateSqlite(options: MigrateOptions): Promise<void> {
  const { file, log, migrations = readMigrations('sqlite') } = options
  mkdirSync(dirname(file), { recursive: true })
  const raw = openConnection(file)
  try {
    raw.exec('pragma busy_timeout = 30000')
    raw.exec(migrationsTable)
    const [first] = planMigrations(migrations, readApplied(raw))
    if (first !== undefined && readApplied(raw).length > 0) await copyBefore(raw, file, first, log)
    for (const migration of migrations) applyOnce(raw, migration, log)
  } finally {
    raw.close()
  }
}

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

function applyOnce(raw: DatabaseSync, migration: Migration, log: Logger): void {
  raw.exec('begin immediate')
  try {
    if (planMigrations([migration], readApplied(raw, migration.version)).length > 0) {
      raw.exec(migration.sql)
      raw
        .prepare('insert into schema_migrations values (?, ?, ?, ?)')
        .run(migration.version, migration.name, migration.sha256, Date.now())
      log.info({ version: migration.version, name: migration.name }, 'schema migrated')
    }
    raw.exec('commit')
  } catch (error) {
    if (raw.isTransaction) raw.exec('rollback')
    throw error
  }
}

function readApplied(raw: DatabaseSync, version?: number): AppliedMigration[] {
  // The columns are those of appliedQuery.
  const rows = raw.prepare(appliedQuery).all() as unknown as AppliedMigration[]
  return version === undefined ? rows : rows.filter((row) => row.version === version)
}

/** A file copy would miss what is still in the write-ahead log. */
async function copyBefore(raw: DatabaseSync, file: string, first: Migration, log: Logger) {
  const copy = `${file}.before-${String(first.version).padStart(4, '0')}`
  await backup(raw, copy)
  log.info({ copy }, 'the database was copied before its schema is changed')
}
