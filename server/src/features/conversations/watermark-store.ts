import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

/** The time up to which a job has read the messages. */
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

/** A step. @returns false when another job moved it, or rows were deleted, since it was read */
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

/** A step: makes every job that is reading messages at the moment discard them and read again. */
export async function raiseGenerations(tx: Tx): Promise<void> {
  await tx
    .updateTable('watermarks')
    .set((e) => ({ generation: e('generation', '+', 1) }))
    .execute()
}

/** A step: makes the job start from the beginning. */
export async function resetWatermark(tx: Tx, name: Schema['watermarks']['name']): Promise<void> {
  await tx
    .updateTable('watermarks')
    .set((e) => ({ reached_at: 0, began_at: null, generation: e('generation', '+', 1) }))
    .where('name', '=', name)
    .execute()
}
