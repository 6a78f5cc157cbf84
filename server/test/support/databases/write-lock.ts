import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { DatabaseSettings } from './engines.ts'

/**
 * Prevents every other process from committing the writes of a checkout, or to other tables, until it
 * is released, so that a test can stop a process exactly between two commits.
 */
export async function lockWrites(
  { dataDir, databaseUrl }: DatabaseSettings,
  tables = 'checkout_sessions, webhook_deliveries',
) {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(dataDir, 'parley.sqlite'))
    database.exec('pragma busy_timeout = 60000')
    database.exec('begin immediate')
    return () => {
      database.exec('rollback')
      database.close()
      return Promise.resolve()
    }
  }
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query(`lock table ${tables} in exclusive mode`)
  return async () => {
    await client.query('rollback')
    await client.end()
  }
}
