import { z } from 'zod'
import { hourMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { applySubscription } from './apply-subscription.ts'
import { deleteEventsBefore, listLiveSubscriptions, noteLookedAt } from './subscription-store.ts'

/** Makes up for a lost event within a day. */
const lookAgainAfterMs = 20 * hourMs
const subscriptionsAtOnce = 100
/** The provider repeats an event for three days. */
const eventsKeptMs = 90 * 24 * hourMs

export const syncSubscriptions = defineJob({
  kind: 'billing.sync_subscriptions',
  input: z.object({}),
  everyMs: hourMs,
  async run(ctx: Context) {
    const { billing, clock, db, log } = ctx
    await db.write((tx) => deleteEventsBefore(tx, clock.now() - eventsKeptMs))
    if (billing === null) return
    const before = clock.now() - lookAgainAfterMs
    for (const id of await listLiveSubscriptions(db.read, before, subscriptionsAtOnce)) {
      const askedAt = clock.now()
      const state = await billing.findSubscription(id)
      // Perhaps it belongs to another account of the provider, whose keys were changed: the workspace
      // keeps its plan. It is marked as checked, so that it does not hold up the others.
      if (state === null)
        log.warn({ subscriptionId: id }, 'the provider does not have this subscription')
      await db.write((tx) =>
        state === null ? noteLookedAt(tx, id, askedAt) : applySubscription(tx, ctx, state, askedAt),
      )
    }
  },
})
