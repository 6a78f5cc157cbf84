import { recordSystemEvent } from '#features/audit/index.ts'
import { defineJob } from '#kernel/job.ts'
import type { SubscriptionState } from '#platform/billing/billing.ts'
import type { Context } from '#platform/context.ts'
import { applySubscription, extraSubscriptionTicket } from './apply-subscription.ts'
import { findSubscriptionRow, type SubscriptionRow } from './subscription-store.ts'

/**
 * If two plans were bought for a workspace on two pages at once, cancels the second at the provider,
 * so that the customer does not pay twice. If the first has ended meanwhile, the second replaces it.
 */
export const endExtraSubscription = defineJob({
  ...extraSubscriptionTicket,
  // The customer keeps paying until this succeeds.
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
    // A retry after a crash may find it cancelled already, and still has to record that.
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
    log.warn({ workspaceId, subscriptionId }, 'cancelled the second of two subscriptions')
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

/** The state of a subscription that the provider no longer has. */
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
