import {
  sumDocuments,
  updateSource,
  type SourceChange,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'

/**
 * A step: counts what searches now find of a source, and stores the result of reading it.
 *
 * @throws Fault record_not_found when it was deleted meanwhile
 */
export async function finishSource(
  tx: Tx,
  now: number,
  sourceId: string,
  change: SourceChange = {},
): Promise<SourceRow> {
  const { documents, chunks, tokens } = await sumDocuments(tx, sourceId)
  const row = await updateSource(tx, sourceId, {
    status: 'ready',
    stage: null,
    progress: 100,
    error_code: null,
    error_facts_json: null,
    document_count: documents,
    chunk_count: chunks,
    token_count: tokens,
    last_indexed_at: now,
    updated_at: now,
    ...change,
  })
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return row
}
