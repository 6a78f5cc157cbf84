import type { Engine } from '#platform/db/database.ts'
import type { FormerIndex } from './former-index.ts'
import { postgresIndex } from './former-postgres-index-store.ts'
import { sqliteIndex } from './former-sqlite-index-store.ts'

/**
 * The index of the version before: FTS5 on SQLite, postings by batch on PostgreSQL. It serves an agent
 * until all of its documents are in segments (docs/decisions/0033). The next release drops it.
 */
export const formerIndexes: Readonly<Record<Engine, FormerIndex>> = {
  sqlite: sqliteIndex,
  postgres: postgresIndex,
}
