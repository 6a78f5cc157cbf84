import { findUser } from '#features/identity/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Billing, Item } from '#platform/billing/billing.ts'
import type { Context } from '#platform/context.ts'
import { asBillingFault } from './as-billing-fault.ts'
import { billingFaults } from './billing-faults.ts'
import { microsPerCredit } from './credit-entry.ts'
import { findSubscriptionRow, insertCheckout, updateCheckout } from './subscription-store.ts'

interface Member {
  readonly userId: string
  readonly workspaceId: string
}

type CheckoutContext = Pick<Context, 'db' | 'clock' | 'config' | 'billing'>

/**
 * A page of the provider where a workspace's plan, or a pack of credits, can be bought. What was
 * bought comes with the provider's own word of it, not with the buyer's return.
 *
 * @throws Fault not_for_sale, subscribed_already, billing_unavailable
 */
export async function startCheckout(
  ctx: CheckoutContext,
  { userId, workspaceId }: Member,
  item: Item,
): Promise<{ readonly url: string }> {
  const billing = requireForSale(ctx, item)
  const user = await findUser(ctx, userId)
  if (user === null) throw new Fault(commonFaults.record_not_found)
  const now = ctx.clock.now()
  const checkoutId = newId(now)
  const customerId = await ctx.db.write(async (tx) => {
    const subscription = await findSubscriptionRow(tx, workspaceId)
    const paid = subscription?.plan ?? null
    if (item.kind === 'plan' && paid !== null)
      throw new Fault(billingFaults.subscribed_already, { plan: paid })
    await insertCheckout(tx, {
      id: checkoutId,
      workspace_id: workspaceId,
      user_id: userId,
      plan: item.kind === 'plan' ? item.plan : null,
      credits_micros: item.kind === 'credits' ? item.credits * microsPerCredit : null,
      provider_id: null,
      completed_at: null,
      created_at: now,
      closed_at: null,
    })
    return subscription?.customer_id ?? null
  })
  const page = billingPage(ctx, workspaceId)
  const request = {
    checkoutId,
    workspaceId,
    item,
    customerId,
    email: user.email,
    successUrl: `${page}&checkout=done`,
    cancelUrl: `${page}&checkout=canceled`,
  }
  const { id, url } = await billing.startCheckout(request).catch(asBillingFault)
  await ctx.db.write((tx) => updateCheckout(tx, checkoutId, { provider_id: id }))
  return { url }
}

/**
 * The provider's pages for who pays: cards, receipts, another plan, the end of it.
 *
 * @throws Fault not_for_sale, no_billing_account, billing_unavailable
 */
export async function openBillingPortal(
  ctx: Pick<Context, 'db' | 'config' | 'billing'>,
  workspaceId: string,
): Promise<{ readonly url: string }> {
  if (ctx.billing === null) throw new Fault(billingFaults.not_for_sale)
  const subscription = await findSubscriptionRow(ctx.db.read, workspaceId)
  if (subscription === undefined) throw new Fault(billingFaults.no_billing_account)
  const opened = ctx.billing.openPortal(subscription.customer_id, billingPage(ctx, workspaceId))
  return { url: await opened.catch(asBillingFault) }
}

function requireForSale({ billing }: Pick<Context, 'billing'>, item: Item): Billing {
  const isSold =
    billing !== null &&
    (item.kind === 'plan'
      ? billing.plans.includes(item.plan)
      : billing.packs.includes(item.credits))
  if (isSold) return billing
  throw new Fault(
    billingFaults.not_for_sale,
    item.kind === 'plan' ? { plan: item.plan } : { credits: item.credits },
  )
}

/** The page of the dashboard that buyers leave from and come back to. */
function billingPage({ config }: Pick<Context, 'config'>, workspaceId: string): string {
  const base = config.baseUrl ?? `http://localhost:${config.port}`
  return `${base}/settings/billing?workspace=${workspaceId}`
}
