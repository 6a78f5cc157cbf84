import type { Context } from '#platform/context.ts'
import { clearSource } from './clear-source.ts'
import { deletePieces } from './file-store.ts'
import { findStaleSources, updateSource } from './store.ts'

/** Storing touches its source with every unit, many times a second; a minute of silence is death. */
const silenceMs = 60_000

/**
 * Gives up the sources whose storing was cut off, by a crash or a kill: what they say goes, and they
 * stay in the list as `failed` (`interrupted`), because their caller never got an answer. To be
 * called when a process starts, and now and then; any number of processes may.
 *
 * @returns how many there were
 */
export async function failInterruptedSources(ctx: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const now = ctx.clock.now()
  const stale = await findStaleSources(ctx.db.read, now - silenceMs)
  for (const { id } of stale)
    await ctx.db.write(async (tx) => {
      // Asked again within the unit: another process may have given it up first.
      const row = (await findStaleSources(tx, now - silenceMs)).find((one) => one.id === id)
      if (row === undefined) return
      await clearSource(tx, ctx.db, row)
      await deletePieces(tx, id)
      const change = { status: 'failed', stage: null, error_code: 'interrupted', updated_at: now }
      await updateSource(tx, id, change)
    })
  return stale.length
}
