import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

/** How far a job has read the messages, in the order of their time. */
export type Watermark = Schema['watermarks']

export async function readWatermark(
  reader: Reader,
  name: Schema['watermarks']['name'],
): Promise<Watermark> {
  return await reader
    .selectFrom('watermarks')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
}

/** A step. @returns false when somebody else moved it, or deleted rows, since it was read */
export async function moveWatermark(
  tx: Tx,
  from: Watermark,
  to: { readonly reachedAt: number; readonly beganAt: number },
): Promise<boolean> {
  const moved = await tx
    .updateTable('watermarks')
    .set({ reached_at: to.reachedAt, began_at: to.beganAt })
    .where('name', '=', from.name)
    .where('reached_at', '=', from.reached_at)
    .where('generation', '=', from.generation)
    .executeTakeFirst()
  return moved.numUpdatedRows > 0n
}

/** A step: has every job that is reading messages meanwhile discard what it read and read again. */
export async function raiseGenerations(tx: Tx): Promise<void> {
  await tx
    .updateTable('watermarks')
    .set((e) => ({ generation: e('generation', '+', 1) }))
    .execute()
}

/** A step: the job starts again from the beginning. */
export async function resetWatermark(tx: Tx, name: Schema['watermarks']['name']): Promise<void> {
  await tx
    .updateTable('watermarks')
    .set((e) => ({ reached_at: 0, began_at: null, generation: e('generation', '+', 1) }))
    .where('name', '=', name)
    .execute()
}
