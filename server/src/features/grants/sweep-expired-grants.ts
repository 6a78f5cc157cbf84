import { z } from 'zod'
import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { deleteIdleClients } from './client-store.ts'
import { deleteExpiredGrants, deleteExpiredTokens } from './grant-store.ts'
import { deleteRequests } from './request-store.ts'

/** A code that is replayed within this time still ends the grant it was redeemed for. */
const keptAfterExpiry = dayMs
/**
 * Clients keep their registration for a long time, and there is no way to notify them of its end.
 * Ended grants are kept as long, because a client without grants counts as idle.
 */
const idleClientLifetime = 90 * dayMs

/** Deletes expired requests, tokens and grants, and registrations without a grant. */
export const sweepExpiredGrants = defineJob({
  kind: 'grants.sweep',
  input: z.object({}),
  everyMs: 60 * 60 * 1000,
  async run(ctx: Pick<Context, 'db' | 'clock'>) {
    const now = ctx.clock.now()
    await ctx.db.write(async (tx) => {
      await deleteRequests(tx, now - keptAfterExpiry)
      await deleteExpiredTokens(tx, now - keptAfterExpiry)
      await deleteExpiredGrants(tx, now - idleClientLifetime)
      await deleteIdleClients(tx, now - idleClientLifetime)
    })
  },
})
