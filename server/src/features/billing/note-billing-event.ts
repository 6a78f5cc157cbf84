import { recordSystemEvent } from '#features/audit/index.ts'
import type { BillingEvent, SubscriptionState } from '#platform/billing/billing.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { bookCredit } from './book-credit.ts'
import { applyPlan } from './change-plan.ts'
import { findPlan } from './plan-store.ts'
import {
  findByCustomer,
  findCheckout,
  findSubscriptionRow,
  insertBillingEvent,
  saveSubscription,
  updateCheckout,
  type SubscriptionRow,
} from './subscription-store.ts'
import { takeBackRefunds } from './take-back-refunds.ts'

type EventContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

/**
 * The provider tells of a checkout or a subscription, perhaps twice, late, or out of order: an event
 * counts once, and what it says is how things stand, as they were asked for after it came.
 *
 * @param askedAt when the provider began to be asked how things stand
 */
export async function noteBillingEvent(
  ctx: EventContext,
  event: BillingEvent,
  askedAt: number,
): Promise<void> {
  await ctx.db.write(async (tx) => {
    const { id, type } = event
    if (!(await insertBillingEvent(tx, { id, type, received_at: ctx.clock.now() }))) return
    if (event.checkout !== null) {
      // Before anything is taken back: what Stripe said of the purchase may have been lost.
      await completeCheckout(tx, ctx, event.checkout)
      await takeBackRefunds(tx, ctx.clock.now(), event.checkout.id, event.refunds)
    }
    if (event.subscription !== null) await applySubscription(tx, ctx, event.subscription, askedAt)
  })
}

async function completeCheckout(
  tx: Tx,
  { clock }: EventContext,
  { id, customerId, isPaid }: NonNullable<BillingEvent['checkout']>,
): Promise<void> {
  const checkout = await findCheckout(tx, id)
  if (checkout === undefined || !isPaid) return
  const now = clock.now()
  const { workspace_id: workspaceId, credits_micros: credits } = checkout
  if (checkout.completed_at === null) await updateCheckout(tx, id, { completed_at: now })
  if (customerId !== null && (await findSubscriptionRow(tx, workspaceId)) === undefined)
    await saveSubscription(tx, newCustomer(workspaceId, customerId, now))
  if (credits !== null)
    await bookCredit(tx, now, {
      workspaceId,
      kind: 'purchase',
      amountMicros: credits,
      idempotencyKey: `purchase:${id}`,
      note: null,
    })
}

function newCustomer(workspaceId: string, customerId: string, now: number): SubscriptionRow {
  return {
    workspace_id: workspaceId,
    customer_id: customerId,
    subscription_id: null,
    status: 'none',
    plan: null,
    period_starts_at: null,
    period_ends_at: null,
    cancels_at: null,
    created_at: now,
    updated_at: 0,
  }
}

/**
 * A step: a workspace is on the plan that it pays for; when it pays no more, on the plan of new
 * workspaces. What was asked for earlier than what is known says nothing new.
 */
export async function applySubscription(
  tx: Tx,
  ctx: EventContext,
  state: SubscriptionState,
  askedAt: number,
): Promise<void> {
  const workspaceId =
    state.workspaceId ?? (await findByCustomer(tx, state.customerId))?.workspace_id ?? null
  const current = workspaceId === null ? undefined : await findPlan(tx, workspaceId)
  if (workspaceId === null || current === undefined) {
    ctx.log.warn({ subscriptionId: state.id }, 'a subscription of no workspace')
    return
  }
  const known = await findSubscriptionRow(tx, workspaceId)
  if (known !== undefined && !isNews(known, state, askedAt)) return
  const paid = state.isLive ? state.plan : null
  await saveSubscription(tx, {
    workspace_id: workspaceId,
    customer_id: state.customerId,
    subscription_id: state.id,
    status: state.status,
    plan: paid,
    period_starts_at: state.periodStartsAt,
    period_ends_at: state.periodEndsAt,
    cancels_at: state.cancelsAt,
    created_at: known?.created_at ?? ctx.clock.now(),
    updated_at: askedAt,
  })
  // A plan that somebody else gave stays where nothing was paid for before.
  if (paid === null && (known?.plan ?? null) === null) return
  const plan = paid ?? ctx.config.defaultPlan
  if (plan === current) return
  await applyPlan(tx, ctx, workspaceId, plan)
  await recordSystemEvent(tx, ctx.clock.now(), {
    workspaceId,
    action: 'billing.change_plan',
    target: workspaceId,
    before: { plan: current },
    after: { plan },
    detail: { subscription_id: state.id, status: state.status },
  })
}

function isNews(known: SubscriptionRow, state: SubscriptionState, askedAt: number): boolean {
  if (known.subscription_id === state.id) return askedAt >= known.updated_at
  // Of two subscriptions the one that is paid counts; the other is told by its own events.
  return known.plan === null || (state.isLive && askedAt >= known.updated_at)
}
