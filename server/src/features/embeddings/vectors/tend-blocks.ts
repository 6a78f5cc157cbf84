import type { Context } from '#platform/context.ts'
import { listSpacesToPack, listWornBlocks, packVectors, unpackBlock } from './vector-blocks.ts'

/**
 * Builds blocks again without the vectors that were deleted, so that nothing of a deleted text stays,
 * and blocks of vectors that an older version or another engine stored.
 */
export async function tendBlocks(ctx: Pick<Context, 'db'>, signal: AbortSignal): Promise<void> {
  const { db } = ctx
  for (const block of await listWornBlocks(db.scan)) {
    signal.throwIfAborted()
    await db.write((tx) => unpackBlock(tx, block))
    // At once, so that searches compare few vectors one by one.
    await packVectors(ctx, block.space_id, signal)
  }
  if (db.engine !== 'sqlite') return
  for (const spaceId of await listSpacesToPack(db.scan)) await packVectors(ctx, spaceId, signal)
}
