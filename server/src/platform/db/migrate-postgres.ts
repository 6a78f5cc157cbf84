import type { Client } from 'pg'
import type { Logger } from 'pino'
import { readMigrations, type Migration } from './migration-files.ts'
import { logMigrations } from './migration-progress.ts'
import {
  appliedQuery,
  migrationsTable,
  planMigrations,
  statusOf,
  type AppliedMigration,
  type SchemaStatus,
} from './plan-migrations.ts'
import { withClient } from './postgres-driver.ts'
import { enableVectors } from './postgres-vectors.ts'

/** An arbitrary number, the same in every process, for the lock that migrations hold. */
const migrationLock = 7_276_923

interface MigrateOptions {
  readonly url: string
  readonly log: Logger
  readonly migrations?: readonly Migration[]
}

/** Migrates a PostgreSQL database to the newest schema; processes that start together wait in turn. */
export async function migratePostgres(options: MigrateOptions): Promise<void> {
  const { url, log, migrations = readMigrations('postgres') } = options
  await withClient({ connectionString: url }, async (client) => {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query(migrationsTable)
    const applied = await readApplied(client)
    const progress = logMigrations(log, applied.length === 0)
    for (const migration of planMigrations(migrations, applied)) {
      await apply(client, migration)
      progress.add(migration)
    }
    progress.end()
    await enableVectors(client)
    // The lock belongs to the connection and ends with it.
  })
}

export async function postgresStatus(url: string): Promise<SchemaStatus> {
  return await withClient({ connectionString: url }, async (client) => {
    const { rows } = await client.query("select to_regclass('schema_migrations') is null as none")
    return statusOf(readMigrations('postgres'), rows[0]?.none ? [] : await readApplied(client))
  })
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await applyMigration(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Runs a migration and records it, within the caller's transaction. */
export async function applyMigration(
  client: Client,
  { version, name, sql, sha256 }: Migration,
): Promise<void> {
  await client.query(sql)
  const insert = 'insert into schema_migrations values ($1, $2, $3, $4)'
  await client.query(insert, [version, name, sha256, Date.now()])
}

export async function readApplied(client: Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<{ version: string; name: string; sha256: string }>(
    appliedQuery,
  )
  return rows.map((row) => ({ ...row, version: Number(row.version) }))
}
