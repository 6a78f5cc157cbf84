import {
  clearSource,
  enqueueIngestion,
  findStaleSources,
  updateSource,
} from '#features/knowledge/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { countStoredBytes, deleteBytes } from './file-store.ts'
import { mediaTypeOfTexts } from './new-rows.ts'

/** Storing updates its source many times a second: after this much silence its process has died. */
const silenceMs = 60_000

/**
 * Handles sources whose storing was interrupted by a crash. The first unit stores a text completely, so
 * a job reads it again. Of a file, a part is missing that only its caller has, so it is marked as
 * `failed` (`interrupted`). Called at the start of a process and at an interval, by any number of
 * processes.
 *
 * @returns the number of failed sources
 */
export async function failInterruptedSources(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
): Promise<number> {
  const now = ctx.clock.now()
  let failed = 0
  for (const { id } of await findStaleSources(ctx.db.read, now - silenceMs)) {
    const outcome = await ctx.db.write((tx) => settle(tx, ctx, now, id))
    if (outcome === 'failed') failed += 1
  }
  return failed
}

async function settle(
  tx: Tx,
  ctx: Pick<Context, 'db' | 'jobs'>,
  now: number,
  id: string,
): Promise<'failed' | 'queued' | null> {
  // Checked again within the unit: another process may have handled it first.
  const row = (await findStaleSources(tx, now - silenceMs)).find((one) => one.id === id)
  if (row === undefined) return null
  await clearSource(tx, ctx.db, row)
  // While the pieces of a copied text arrive, `byte_length` counts them; its hash comes with the last.
  const isHashed = row.sha256 !== ''
  const isWhole = isHashed && (await countStoredBytes(tx, id)) === row.byte_length
  if (row.kind !== 'text' || !isWhole) {
    await failAsInterrupted(tx, now, id)
    return 'failed'
  }
  const change = { status: 'queued', stage: null, progress: 0, updated_at: now }
  await updateSource(tx, id, { ...change, media_type: row.media_type ?? mediaTypeOfTexts })
  await enqueueIngestion(ctx, tx, row)
  return 'queued'
}

/** A step: for a source whose bytes will never be complete. */
export async function failAsInterrupted(tx: Tx, now: number, sourceId: string): Promise<void> {
  await deleteBytes(tx, sourceId)
  const end = { status: 'failed', stage: null, error_code: 'interrupted' }
  await updateSource(tx, sourceId, { ...end, byte_length: 0, updated_at: now })
}
