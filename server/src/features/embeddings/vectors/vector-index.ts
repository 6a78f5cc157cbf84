import type { Database } from '#platform/db/database.ts'
import { postgresVectors } from './postgres-vector-store.ts'
import { sqliteVectors } from './sqlite-vector-store.ts'
import type { VectorIndex } from './vector-store.ts'

export function vectorIndex({ engine }: Pick<Database, 'engine'>): VectorIndex {
  return engine === 'sqlite' ? sqliteVectors : postgresVectors
}
