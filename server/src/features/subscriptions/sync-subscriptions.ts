import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { applySubscription } from './apply-subscription.ts'
import { deleteEventsBefore, listLiveSubscriptions, noteLookedAt } from './subscription-store.ts'

const hour = 60 * 60_000
/** An event that never came is made up for within a day. */
const lookAgainAfterMs = 20 * hour
const subscriptionsAtOnce = 100
/** The provider repeats an event for three days. */
const eventsKeptMs = 90 * 24 * hour

export const syncSubscriptions = defineJob({
  kind: 'billing.sync_subscriptions',
  input: z.object({}),
  everyMs: hour,
  async run(ctx: Context) {
    const { billing, clock, db, log } = ctx
    await db.write((tx) => deleteEventsBefore(tx, clock.now() - eventsKeptMs))
    if (billing === null) return
    const before = clock.now() - lookAgainAfterMs
    for (const id of await listLiveSubscriptions(db.read, before, subscriptionsAtOnce)) {
      const askedAt = clock.now()
      const state = await billing.findSubscription(id)
      // Perhaps of another account of the provider, whose keys were changed: nobody loses a plan by
      // that. Nor does it keep others waiting: it has had its turn.
      if (state === null) log.warn({ subscriptionId: id }, 'a subscription that nobody knows')
      await db.write((tx) =>
        state === null ? noteLookedAt(tx, id, askedAt) : applySubscription(tx, ctx, state, askedAt),
      )
    }
  },
})
