import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'
import { growCollection, sumChunks, updateProcessingSource, type SourceRow } from './store.ts'

/**
 * A step: from its commit on, searches find the source.
 *
 * @throws Fault record_not_found when it was deleted, or given up, meanwhile
 */
export async function finishSource(tx: Tx, now: number, sourceId: string): Promise<SourceRow> {
  const { chunks, tokens, terms } = await sumChunks(tx, sourceId)
  const row = await updateProcessingSource(tx, sourceId, {
    status: 'ready',
    chunk_count: chunks,
    token_count: tokens,
    updated_at: now,
  })
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  await growCollection(tx, row.agent_id, { chunks, terms })
  return row
}
