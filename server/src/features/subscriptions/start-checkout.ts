import { microsPerCredit } from '#features/credits/index.ts'
import { findUser } from '#features/identity/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Billing, Item } from '#platform/billing/billing.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { applySubscription, type SubscriptionContext } from './apply-subscription.ts'
import { subscriptionFaults } from './subscription-faults.ts'
import {
  findSubscriptionRow,
  insertCheckout,
  listOpenPlanCheckouts,
  updateCheckout,
  type CheckoutRow,
  type OpenPlanCheckout,
} from './subscription-store.ts'

type Member = Pick<Actor, 'userId' | 'workspaceId'>

type CheckoutContext = SubscriptionContext & Pick<Context, 'db' | 'billing'>

/** The provider closes such a page after a day. */
const checkoutLifetimeMs = 25 * 60 * 60 * 1000

/**
 * Opens a page of the provider where a plan or a pack of credits can be bought. The purchase counts
 * when the provider reports it, not when the buyer returns. Only the newest page for a plan stays
 * open: two plans bought at once would both be charged.
 *
 * @throws Fault not_for_sale, subscribed_already, billing_unavailable
 */
export async function startCheckout(
  ctx: CheckoutContext,
  member: Member,
  item: Item,
): Promise<{ readonly url: string }> {
  const billing = requireForSale(ctx, item)
  const user = await findUser(ctx, member.userId)
  if (user === null) throw new Fault(commonFaults.record_not_found)
  const checkout = checkoutOf(ctx, member, item)
  const customerId = await ctx.db.write((tx) => begin(tx, checkout))
  const page = billingPage(ctx, member.workspaceId)
  const request = {
    checkoutId: checkout.id,
    workspaceId: member.workspaceId,
    item,
    customerId,
    email: user.email,
    successUrl: `${page}&checkout=done`,
    cancelUrl: `${page}&checkout=canceled`,
  }
  const { id, url } = await billing.startCheckout(request).catch(asSubscriptionFault)
  const openedAfter = checkout.created_at - checkoutLifetimeMs
  // In the unit that stores this page: of two pages opened at once, one sees the other.
  const others = await ctx.db.write(async (tx) => {
    await updateCheckout(tx, checkout.id, { provider_id: id })
    return item.kind === 'plan' ? await listOpenPlanCheckouts(tx, checkout, openedAfter) : []
  })
  for (const other of others) await close(ctx, billing, other)
  return { url }
}

function checkoutOf(
  ctx: CheckoutContext,
  { userId, workspaceId }: Member,
  item: Item,
): CheckoutRow {
  const now = ctx.clock.now()
  return {
    id: newId(now),
    workspace_id: workspaceId,
    user_id: userId,
    plan: item.kind === 'plan' ? item.plan : null,
    credits_micros: item.kind === 'credits' ? item.credits * microsPerCredit : null,
    provider_id: null,
    completed_at: null,
    created_at: now,
    closed_at: null,
  }
}

/** @returns the provider's customer; null if the workspace has none yet */
async function begin(tx: Tx, checkout: CheckoutRow): Promise<string | null> {
  const subscription = await findSubscriptionRow(tx, checkout.workspace_id)
  const paid = subscription?.plan ?? null
  if (checkout.plan !== null && paid !== null)
    throw new Fault(subscriptionFaults.subscribed_already, { plan: paid })
  await insertCheckout(tx, checkout)
  return subscription?.customer_id ?? null
}

/** @throws Fault subscribed_already if a plan has just been bought on that page */
async function close(
  ctx: CheckoutContext,
  billing: Billing,
  { id, provider_id: providerId, plan }: OpenPlanCheckout,
): Promise<void> {
  if (providerId === null) return
  const askedAt = ctx.clock.now()
  const bought = await billing.closeCheckout(providerId).catch(asSubscriptionFault)
  await ctx.db.write(async (tx) => {
    await updateCheckout(tx, id, { closed_at: ctx.clock.now() })
    // The provider's event may be late or lost.
    if (bought !== null) await applySubscription(tx, ctx, bought, askedAt)
  })
  if (bought?.isLive)
    throw new Fault(subscriptionFaults.subscribed_already, { plan: bought.plan ?? plan ?? '' })
}

/**
 * The provider's customer pages: cards, receipts, change of plan, cancellation.
 *
 * @throws Fault not_for_sale, no_billing_account, billing_unavailable
 */
export async function openBillingPortal(
  ctx: Pick<Context, 'db' | 'config' | 'billing'>,
  workspaceId: string,
): Promise<{ readonly url: string }> {
  if (ctx.billing === null) throw new Fault(subscriptionFaults.not_for_sale, {})
  const subscription = await findSubscriptionRow(ctx.db.read, workspaceId)
  if (subscription === undefined) throw new Fault(subscriptionFaults.no_billing_account)
  const opened = ctx.billing.openPortal(subscription.customer_id, billingPage(ctx, workspaceId))
  return { url: await opened.catch(asSubscriptionFault) }
}

function requireForSale({ billing }: Pick<Context, 'billing'>, item: Item): Billing {
  const isSold =
    billing !== null &&
    (item.kind === 'plan'
      ? billing.plans.includes(item.plan)
      : billing.packs.includes(item.credits))
  if (isSold) return billing
  throw new Fault(
    subscriptionFaults.not_for_sale,
    item.kind === 'plan' ? { plan: item.plan } : { credits: item.credits },
  )
}

/** The dashboard page that buyers start from and return to. */
function billingPage({ config }: Pick<Context, 'config'>, workspaceId: string): string {
  return `${config.baseUrl}/settings/billing?workspace=${workspaceId}`
}

/** @throws Fault billing_unavailable if the provider failed, else the error as it is */
function asSubscriptionFault(error: unknown): never {
  // Features import only the types of platform, so the class is recognised by its name.
  const isTheirs = error instanceof Error && error.name === 'BillingUnavailable'
  throw isTheirs ? new Fault(subscriptionFaults.billing_unavailable, {}, { cause: error }) : error
}
