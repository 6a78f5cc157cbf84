import { z } from 'zod'
import type { Reader, Tx } from '#platform/db/database.ts'

const key = 'knowledge_analysis'

const state = z.object({
  /** The analysis version that the index has, or is being re-indexed with. */
  version: z.string(),
  /** The last chunk that was re-indexed; null when all were. */
  after: z.int().nullable(),
})

/** How much of the index has the terms of the present analyser. */
export type AnalysisState = z.infer<typeof state>

/** Undefined for an index from before this record existed. */
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

/** The chunks of the list that still exist. */
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
