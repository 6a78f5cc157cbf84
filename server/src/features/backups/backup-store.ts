import type { Reader } from '#platform/db/database.ts'
import { backUpDatabase } from './back-up-database.ts'

/** Why the latest attempt of the service to create a backup failed; null if it did not. */
export async function latestBackupProblem(reader: Reader): Promise<string | null> {
  const row = await reader
    .selectFrom('jobs')
    .select('last_error')
    .where('kind', '=', backUpDatabase.kind)
    .where('status', 'in', ['queued', 'running'])
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row?.last_error ?? null
}
