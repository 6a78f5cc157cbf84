import type { Client } from 'pg'
import type { Logger } from 'pino'
import { readMigrations, type Migration } from '#platform/db/migration-files.ts'
import { logMigrations } from '#platform/db/migration-progress.ts'
import {
  appliedQuery,
  migrationsTable,
  planMigrations,
  statusOf,
  type AppliedMigration,
  type SchemaStatus,
} from '#platform/db/plan-migrations.ts'
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
    const isEmpty = await inTransaction(client, async () => {
      await client.query(migrationsTable)
      return (await readApplied(client)).length === 0
    })
    const progress = logMigrations(log, isEmpty)
    for (;;) {
      const applied = await inTransaction(client, async () => {
        // Another process may have migrated since the last transaction.
        const [next] = planMigrations(migrations, await readApplied(client))
        if (next !== undefined) await applyMigration(client, next)
        return next
      })
      if (applied === undefined) break
      progress.add(applied)
    }
    progress.end()
    await inTransaction(client, () => enableVectors(client))
  })
}

/**
 * Runs `code` while no other process migrates. The lock ends with the transaction: one of the session
 * would stay behind in a pooler, and the next start would wait for it forever.
 */
async function inTransaction<T>(client: Client, code: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    const value = await code()
    await client.query('commit')
    return value
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

export async function postgresStatus(url: string): Promise<SchemaStatus> {
  return await withClient({ connectionString: url }, async (client) => {
    const { rows } = await client.query("select to_regclass('schema_migrations') is null as none")
    return statusOf(readMigrations('postgres'), rows[0]?.none ? [] : await readApplied(client))
  })
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
