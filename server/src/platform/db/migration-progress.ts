import type { Logger } from 'pino'
import type { Migration } from './migration-files.ts'

export interface MigrationProgress {
  add(migration: Migration): void
  end(): void
}

/** Logs the migrations of a database: each one of an existing database, a new one as a whole. */
export function logMigrations(log: Logger, isNew: boolean): MigrationProgress {
  let newest: Migration | null = null
  return {
    add(migration) {
      newest = migration
      if (isNew) return
      log.info({ version: migration.version, name: migration.name }, 'schema migrated')
    },
    end() {
      if (isNew && newest !== null) log.info({ version: newest.version }, 'schema created')
    },
  }
}
