import { recordSystemEvent } from '#features/audit/index.ts'
import { defineJob } from '#kernel/job.ts'
import type { SubscriptionState } from '#platform/billing/billing.ts'
import type { Context } from '#platform/context.ts'
import { applySubscription, extraSubscriptionTicket } from './apply-subscription.ts'
import { findSubscriptionRow, type SubscriptionRow } from './subscription-store.ts'

/**
 * Of two plans that were bought for one workspace, on two pages at once, the second is ended at the
 * provider: nobody pays twice for what they have once. Where the first has ended meanwhile, the
 * second takes its place.
 */
export const endExtraSubscription = defineJob({
  ...extraSubscriptionTicket,
  // Somebody pays until it is settled.
  maxAttempts: Number.POSITIVE_INFINITY,
  outlivesWorkspace: true,
  async run(ctx: Context, { workspaceId, subscriptionId }, { attempt }) {
    const { billing, clock, db, log } = ctx
    const known = await findSubscriptionRow(db.read, workspaceId)
    if (billing === null || known === undefined || known.subscription_id === null) return
    if (known.subscription_id === subscriptionId) return
    const askedAt = clock.now()
    const kept = await billing.findSubscription(known.subscription_id)
    const extra = await billing.findSubscription(subscriptionId)
    // One that a process ended which died before it could say so is told of all the same.
    const isOver = extra !== null && !extra.isLive
    if (extra === null || (isOver && attempt === 1)) return
    if (kept === null || !kept.isLive) {
      if (isOver) return
      await db.write(async (tx) => {
        await applySubscription(tx, ctx, kept ?? ended(known), askedAt)
        await applySubscription(tx, ctx, extra, askedAt)
      })
      return
    }
    if (!isOver) await billing.cancelSubscription(subscriptionId)
    log.warn({ workspaceId, subscriptionId }, 'a plan that was bought twice was ended once')
    await db.write((tx) =>
      recordSystemEvent(tx, clock.now(), {
        workspaceId,
        action: extraSubscriptionTicket.kind,
        target: subscriptionId,
        detail: { kept: kept.id, customer_id: extra.customerId },
      }),
    )
  },
})

/** What the provider does not know any more. */
function ended(known: SubscriptionRow): SubscriptionState {
  return {
    id: known.subscription_id ?? '',
    customerId: known.customer_id,
    workspaceId: known.workspace_id,
    status: 'gone',
    isLive: false,
    plan: null,
    periodStartsAt: known.period_starts_at,
    periodEndsAt: known.period_ends_at,
    cancelsAt: known.cancels_at,
  }
}
