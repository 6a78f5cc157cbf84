import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Logger } from 'pino'
import { makeDataFolder } from '#platform/data-folder.ts'
import { writeWhole } from './durable-file.ts'
import { readMigrations, type Migration } from './migration-files.ts'
import { openConnection } from './open-sqlite.ts'
import { migrationsTable, planMigrations, SchemaError } from './plan-migrations.ts'
import { copySqlite } from './sqlite-backup.ts'
import { readApplied } from './sqlite-status.ts'

interface MigrateOptions {
  readonly file: string
  readonly log: Logger
  readonly migrations?: readonly Migration[]
}

/** How long a process waits for another one that migrates. */
const patienceMs = 60_000

/**
 * Brings a SQLite database to the newest schema. A database with something in it is copied first
 * (`<file>.before-NNNN`). Each migration is a transaction that is taken under the write lock, so two
 * processes cannot apply one twice and one that fails leaves nothing behind.
 *
 * @throws SchemaError as planMigrations does, and when a migration breaks a reference
 */
export async function migrateSqlite(options: MigrateOptions): Promise<void> {
  const { file, log, migrations = readMigrations('sqlite') } = options
  makeDataFolder(dirname(file))
  // Made first, so that what people wrote is never readable by others; SQLite's files follow its mode.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const raw = openConnection(file)
  try {
    raw.exec(`pragma busy_timeout = ${patienceMs}`)
    // SQLite makes most schema changes by rebuilding a table, which drops it while others refer to
    // it.
    raw.exec('pragma foreign_keys = off')
    raw.exec(migrationsTable)
    const applied = readApplied(raw)
    let hasCopy = applied.length === 0 // There is nothing to lose.
    for (const migration of planMigrations(migrations, applied))
      await applyOnce(raw, migration, log, async () => {
        if (!hasCopy) await copyBefore(file, migration, log)
        hasCopy = true
      })
  } finally {
    raw.close()
  }
}

/**
 * Holds the write lock from reading which migrations were applied until the last one is, the copy
 * included. Otherwise one process could copy a database that another has already changed.
 */
async function applyOnce(
  raw: DatabaseSync,
  migration: Migration,
  log: Logger,
  prepare: () => Promise<void>,
): Promise<void> {
  const isSame = ({ version }: { version: number }) => version === migration.version
  raw.exec('begin immediate')
  try {
    if (planMigrations([migration], readApplied(raw).filter(isSame)).length > 0) {
      await prepare()
      raw.exec(migration.sql)
      refuseBrokenReferences(raw, migration)
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

function refuseBrokenReferences(raw: DatabaseSync, { version, name }: Migration): void {
  const [broken] = raw.prepare('pragma foreign_key_check').all()
  if (broken === undefined) return
  throw new SchemaError(
    `Migration ${version} (${name}) leaves rows of ${String(broken.table)} without what they refer to in ${String(broken.parent)}. Nothing was changed.`,
  )
}

/** A file copy would miss what is still in the write-ahead log. */
async function copyBefore(file: string, first: Migration, log: Logger) {
  const copy = `${file}.before-${String(first.version).padStart(4, '0')}`
  await writeWhole(copy, (draft) => copySqlite(file, draft))
  log.info({ copy }, 'the database was copied before its schema is changed')
}
