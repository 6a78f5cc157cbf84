import { bookCredit } from '#features/credits/index.ts'
import type { BillingEvent, Refund } from '#platform/billing/billing.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { applySubscription, type SubscriptionContext } from './apply-subscription.ts'
import {
  findCheckout,
  findSubscriptionRow,
  insertBillingEvent,
  saveSubscription,
  updateCheckout,
  type SubscriptionRow,
} from './subscription-store.ts'

/**
 * Applies a provider's event about a checkout or a subscription. Events may come twice, late or out of
 * order: each counts once, and carries the current state, requested after the event arrived.
 *
 * @param askedAt when that state was requested
 */
export async function noteBillingEvent(
  ctx: SubscriptionContext & Pick<Context, 'db'>,
  event: BillingEvent,
  askedAt: number,
): Promise<void> {
  await ctx.db.write(async (tx) => {
    const { id, type } = event
    if (!(await insertBillingEvent(tx, { id, type, received_at: ctx.clock.now() }))) return
    if (event.checkout !== null) {
      // Before the refunds: the event of the purchase may have been lost.
      await completeCheckout(tx, ctx, event.checkout)
      await takeBackRefunds(tx, ctx.clock.now(), event.checkout.id, event.refunds)
    }
    if (event.subscription !== null) await applySubscription(tx, ctx, event.subscription, askedAt)
  })
}

async function completeCheckout(
  tx: Tx,
  { clock }: Pick<Context, 'clock'>,
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
 * For a refunded pack of credits, books the same share of its credits back, even if they are
 * used: later credits then make up the difference. A failed refund is booked together with its
 * reversal, so that it has no effect whichever event comes first. Each is booked once, by its id.
 */
async function takeBackRefunds(
  tx: Tx,
  now: number,
  checkoutId: string,
  refunds: readonly Refund[],
): Promise<void> {
  const checkout = refunds.length === 0 ? undefined : await findCheckout(tx, checkoutId)
  if (checkout === undefined || checkout.credits_micros === null) return
  const { workspace_id: workspaceId, credits_micros: credits } = checkout
  for (const refund of refunds) {
    const amountMicros = partOf(credits, refund)
    const entry = { workspaceId, kind: 'adjustment' } as const
    await bookCredit(tx, now, {
      ...entry,
      amountMicros: 0 - amountMicros,
      idempotencyKey: `refund:${refund.id}`,
      note: 'refunded',
    })
    if (!refund.isOff) continue
    await bookCredit(tx, now, {
      ...entry,
      amountMicros,
      idempotencyKey: `refund off:${refund.id}`,
      note: 'refund failed',
    })
  }
}

/** Rounded down. In BigInt, because micros times money can exceed what a double holds exactly. */
function partOf(credits: number, { amountMinor, paidMinor }: Refund): number {
  if (paidMinor <= 0) return 0
  return Number((BigInt(credits) * BigInt(Math.min(amountMinor, paidMinor))) / BigInt(paidMinor))
}
