import type { Context } from '#platform/context.ts'
import { deleteIdleClients } from './client-store.ts'
import { deleteExpiredGrants, deleteExpiredTokens } from './grant-store.ts'
import { deleteRequests } from './request-store.ts'

const day = 24 * 60 * 60 * 1000

/** A code that is replayed within this still ends what was got for it. */
const keptAfterExpiry = day
/**
 * Clients keep their registration for long, and cannot be told that it is gone. Their grants are
 * kept as long after their end, because a client without any counts as idle.
 */
const idleClientLifetime = 90 * day

/** Deletes what expired and registrations that nothing came of. Run it now and then, anywhere. */
export async function sweepExpiredGrants(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.write(async (tx) => {
    await deleteRequests(tx, now - keptAfterExpiry)
    await deleteExpiredTokens(tx, now - keptAfterExpiry)
    await deleteExpiredGrants(tx, now - idleClientLifetime)
    await deleteIdleClients(tx, now - idleClientLifetime)
  })
}
