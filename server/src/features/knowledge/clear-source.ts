import type { Database, Tx } from '#platform/db/database.ts'
import { searchIndex } from './search-index.ts'
import { deleteChunks, growCollection, sumChunks, type SourceRow } from './store.ts'

/** A step: takes everything that a source says out of the index and the database. */
export async function clearSource(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  source: Pick<SourceRow, 'id' | 'agent_id' | 'status'>,
): Promise<void> {
  // Only sources that are ready were counted.
  if (source.status === 'ready') {
    const { chunks, terms } = await sumChunks(tx, source.id)
    await growCollection(tx, source.agent_id, { chunks: -chunks, terms: -terms })
  }
  await searchIndex({ engine }).removeSource(tx, source.id)
  await deleteChunks(tx, source.id)
}
