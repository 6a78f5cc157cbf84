import type { Context } from '#platform/context.ts'
import { clearSource } from './clear-source.ts'
import { findStaleSources, updateProcessingSource } from './store.ts'

/** Adding touches its source with every unit, many times a second; a minute of silence is death. */
const silenceMs = 60_000

/**
 * Gives up the sources whose adding was cut off, by a crash or a kill: their chunks go, and they
 * stay in the list as `failed` (`interrupted`), because their caller never got an answer. To be
 * called when a process starts, and now and then; any number of processes may.
 *
 * @returns how many there were
 */
export async function failInterruptedSources(ctx: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const now = ctx.clock.now()
  const stale = await findStaleSources(ctx.db.read, now - silenceMs)
  for (const { id, agent_id, status } of stale)
    await ctx.db.write(async (tx) => {
      const change = { status: 'failed', error_code: 'interrupted', updated_at: now }
      const failed = await updateProcessingSource(tx, id, change)
      if (failed !== undefined) await clearSource(tx, ctx.db, { id, agent_id, status })
    })
  return stale.length
}
