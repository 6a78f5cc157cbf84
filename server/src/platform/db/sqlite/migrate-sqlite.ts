import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Logger } from 'pino'
import { makeDataFolder } from '#platform/data-folder.ts'
import { writeWhole } from '#platform/db/durable-file.ts'
import { readMigrations, type Migration } from '#platform/db/migration-files.ts'
import { logMigrations, type MigrationProgress } from '#platform/db/migration-progress.ts'
import { openConnection } from './open-sqlite.ts'
import { migrationsTable, planMigrations, SchemaError } from '#platform/db/plan-migrations.ts'
import { renewStatistics } from '#platform/db/renew-statistics.ts'
import { copySqlite } from './sqlite-backup.ts'
import { applyMigration, readApplied } from './sqlite-status.ts'

interface MigrateOptions {
  readonly file: string
  readonly log: Logger
  readonly migrations?: readonly Migration[]
}

/** How long a process waits while another one migrates. */
const patienceMs = 60_000

/**
 * Migrates a SQLite database to the newest schema. A database that is not empty is copied first
 * (`<file>.before-NNNN`). Each migration is a transaction under the write lock, so two processes
 * cannot apply it twice, and a failure leaves nothing behind.
 *
 * @throws SchemaError as planMigrations does, and when a migration breaks a reference
 */
export async function migrateSqlite(options: MigrateOptions): Promise<void> {
  const { file, log, migrations = readMigrations('sqlite') } = options
  makeDataFolder(dirname(file))
  // Created first with this mode, which SQLite's other files copy: other users can never read it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  using raw = openConnection(file)
  raw.exec(`pragma busy_timeout = ${patienceMs}`)
  // SQLite makes most schema changes by rebuilding a table, which drops a table that others refer to.
  raw.exec('pragma foreign_keys = off')
  raw.exec(migrationsTable)
  const applied = readApplied(raw)
  const isNew = applied.length === 0
  const progress = logMigrations(log, isNew)
  let hasCopy = isNew // An empty database needs no copy.
  for (const migration of planMigrations(migrations, applied))
    await applyOnce(raw, migration, progress, async () => {
      if (!hasCopy) await copyBefore(file, migration, log)
      hasCopy = true
    })
  // Without statistics of a new index, SQLite may choose it for every query that it could serve.
  if (hasCopy && !isNew) renewStatistics(raw, 'pragma optimize = 0x10012')
  progress.end()
}

/**
 * Holds the write lock while it reads the applied migrations, makes the copy and applies this one.
 * Otherwise one process could copy a database that another has already changed.
 */
async function applyOnce(
  raw: DatabaseSync,
  migration: Migration,
  progress: MigrationProgress,
  prepare: () => Promise<void>,
): Promise<void> {
  const isSame = ({ version }: { version: number }) => version === migration.version
  raw.exec('begin immediate')
  try {
    if (planMigrations([migration], readApplied(raw).filter(isSame)).length > 0) {
      await prepare()
      applyMigration(raw, migration)
      refuseBrokenReferences(raw, migration)
      progress.add(migration)
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
    `Migration ${version} (${name}) leaves rows of ${String(broken.table)} that refer to missing rows of ${String(broken.parent)}. Nothing was changed.`,
  )
}

/** Uses SQLite's backup: a plain file copy would miss the content of the write-ahead log. */
async function copyBefore(file: string, first: Migration, log: Logger) {
  const copy = `${file}.before-${String(first.version).padStart(4, '0')}`
  await writeWhole(copy, (draft) => copySqlite(file, draft))
  log.info({ copy }, 'the database was copied before its schema is migrated')
}
