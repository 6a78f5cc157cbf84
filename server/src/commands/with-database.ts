import type { Config } from '#config'
import type { Database } from '#platform/db/database.ts'
import { openDatabase } from '#platform/db/open-database.ts'
import { quietLog } from './quiet-log.ts'

/** Opens the database without a service, and closes it at the end of the work. */
export async function withDatabase<T>(
  config: Config,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = openDatabase(config, quietLog(config))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
