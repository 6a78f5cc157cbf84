import { z } from 'zod'
import type { Reader, Tx } from '#platform/db/database.ts'

const key = 'knowledge_analysis'

const state = z.object({
  /** Of the analysis that the index is being brought to, or has. */
  version: z.string(),
  /** The last chunk that is indexed by it; null when all are. */
  after: z.int().nullable(),
})

/** How far the index agrees with the analyser. */
export type AnalysisState = z.infer<typeof state>

/** Undefined for an index that is older than this record. */
export async function readAnalysisState(reader: Reader): Promise<AnalysisState | undefined> {
  const row = await reader
    .selectFrom('meta')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst()
  return row === undefined ? undefined : state.parse(JSON.parse(row.value))
}

export async function writeAnalysisState(tx: Tx, now: AnalysisState): Promise<void> {
  const value = JSON.stringify(now)
  await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/** Those of the chunks that are there. */
export async function findChunkIds(
  reader: Reader,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await reader
    .selectFrom('knowledge_chunks')
    .select('id')
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
