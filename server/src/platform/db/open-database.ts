import { join } from 'node:path'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Database } from './database.ts'
import { migratePostgres, postgresStatus } from './postgres/migrate-postgres.ts'
import { migrateSqlite } from './sqlite/migrate-sqlite.ts'
import type { LongReadLimits } from './long-reads.ts'
import { readMigrations } from './migration-files.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import { defaultPostgresLimits, type PostgresLimits } from './postgres/postgres-limits.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import {
  appliedQuery,
  statusOf,
  type AppliedMigration,
  type SchemaStatus,
} from './plan-migrations.ts'
import { logSlowStatements } from './slow-statements.ts'
import { sqliteStatus } from './sqlite/sqlite-status.ts'

export type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databasePoolSize' | 'dataDir'> &
  Partial<
    Pick<
      Config,
      | 'workers'
      | 'slowStatementMs'
      | 'databaseReadUrl'
      | keyof LongReadLimits
      | keyof PostgresLimits
    >
  >

export function sqliteFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'parley.sqlite')
}

/** Opens PostgreSQL if `DATABASE_URL` is set, else the embedded database. Migrate first. */
export function openDatabase(config: DatabaseConfig, log: Logger): Database {
  const { databaseUrl: url, databasePoolSize: poolSize, workers = 1 } = config
  const limits = { ...defaultPostgresLimits, ...config }
  if (config.slowStatementMs !== undefined) logSlowStatements(config.slowStatementMs, log)
  const readLimits = longReadLimits(config)
  const { databaseReadUrl: readUrl } = config
  return url === undefined
    ? openSqlite({ file: sqliteFile(config), log, limits: readLimits })
    : openPostgres({ url, poolSize, workers, limits, readLimits, readUrl, log })
}

function longReadLimits(config: DatabaseConfig): Partial<LongReadLimits> {
  const { readTimeoutMs, backgroundReadTimeoutMs, readers, searchReaders, readsWaiting } = config
  const given = { readTimeoutMs, backgroundReadTimeoutMs, readers, searchReaders, readsWaiting }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** @throws SchemaError when the database is newer than this service */
export async function migrate(config: DatabaseConfig, log: Logger): Promise<void> {
  const { databaseUrl: url } = config
  if (url === undefined) await migrateSqlite({ file: sqliteFile(config), log })
  else await migratePostgres({ url, log })
}

/** The same as `schemaStatus`, over an open database. */
export async function servedSchema({ engine, read }: Database): Promise<SchemaStatus> {
  const { rows } = await sql<AppliedMigration>`${sql.raw(appliedQuery)}`.execute(read)
  return statusOf(readMigrations(engine), rows)
}

export async function schemaStatus(config: DatabaseConfig): Promise<SchemaStatus> {
  const { databaseUrl: url } = config
  return url === undefined ? sqliteStatus(sqliteFile(config)) : await postgresStatus(url)
}
