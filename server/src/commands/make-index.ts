import type { Config } from '#config'
import { reindexConversations } from '#features/conversations/index.ts'
import { indexDocuments } from '#features/full-text/index.ts'
import { migrate, openDatabase, type DatabaseConfig } from '#platform/db/open-database.ts'
import { quietLog } from './quiet-log.ts'

/**
 * Builds what a copy from the other engine does not include: the full-text index.
 *
 * @returns the number of chunks that were indexed
 */
export async function makeIndex(config: DatabaseConfig, settings: Config): Promise<number> {
  const log = quietLog(settings)
  await migrate(config, log)
  const db = openDatabase(config, log)
  try {
    // The service indexes conversations from its next start on.
    await reindexConversations({ db })
    return await indexDocuments({ db })
  } finally {
    await db.close()
  }
}
