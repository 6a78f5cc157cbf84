import { findPassages } from '#features/full-text/index.ts'
import type { Database } from '#platform/db/database.ts'
import type { Passage } from '#platform/models/model.ts'
import type { FoundChunk, Why } from './fuse-ranks.ts'

export interface FoundPassage extends Passage {
  readonly why: Why
}

/** What found chunks say, in their order; those deleted since they were found are left out. */
export async function readPassages(
  db: Database,
  found: readonly FoundChunk[],
): Promise<FoundPassage[]> {
  if (found.length === 0) return []
  const ids = found.map(({ chunkId }) => chunkId)
  const rows = new Map((await findPassages(db.read, ids)).map((row) => [row.id, row]))
  return found.flatMap(({ chunkId, score, why }) => {
    const row = rows.get(chunkId)
    if (row === undefined) return []
    const { source_id: sourceId, title, url, page, heading, text } = row
    return [{ sourceId, title, url, page, heading, text, score, why }]
  })
}
