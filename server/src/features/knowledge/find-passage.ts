import { requireOwned } from '#features/agents/index.ts'
import { findChunkByEnds } from '#features/full-text/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'

/** A passage by its first and last characters. */
export interface PassageEnds {
  readonly start: string
  readonly end: string
}

/**
 * The chunk of a source that a citation quotes. Citations keep the text of their passage, so they can
 * name a chunk that a newer version of the source no longer has.
 *
 * @throws Fault record_not_found
 */
export async function findPassage(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  sourceId: string,
  ends: PassageEnds,
): Promise<{ readonly documentId: string; readonly ordinal: number }> {
  const source = await requireOwned(db.read, 'knowledge_sources', workspaceId, sourceId)
  const chunk = await findChunkByEnds(db.scan, source.id, ends)
  if (chunk === undefined) throw new Fault(commonFaults.record_not_found)
  return chunk
}
