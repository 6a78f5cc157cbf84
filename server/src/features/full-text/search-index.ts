import type { Engine } from '#platform/db/database.ts'
import type { SearchIndex } from './index-store.ts'
import { postgresIndex } from './postgres-index-store.ts'
import { sqliteIndex } from './sqlite-index-store.ts'

export const searchIndexes: Readonly<Record<Engine, SearchIndex>> = {
  sqlite: sqliteIndex,
  postgres: postgresIndex,
}
