import type Stripe from 'stripe'
import type { Config, CreditPack, PlanPrices } from '#config'
import { planNames, type Plan } from '#kernel/plan.ts'
import {
  connectStripe,
  isMissing,
  isObjectId,
  isRefused,
  verifiedEvent,
  type ConnectedStripe,
} from '#platform/payments/stripe-client.ts'
import {
  BillingUnavailable,
  type Billing,
  type BillingEvent,
  type CheckoutRequest,
  type Item,
  type SubscriptionState,
} from './billing.ts'

interface Shop extends ConnectedStripe {
  readonly planPrices: PlanPrices
  readonly packs: readonly CreditPack[]
}

/**
 * Stripe Billing through the official package: Checkout, the customer portal and webhooks. Null when
 * nothing is sold.
 */
export function createBilling(config: Config): Billing | null {
  const { stripeSecretKey: secretKey, stripeApiBase: apiBase, paymentTimeoutMs: timeoutMs } = config
  const { billingWebhookSecret, billingPlanPrices: planPrices, billingCreditPacks: packs } = config
  // readConfig requires the key and the secret with any price.
  if (secretKey === undefined || billingWebhookSecret === undefined) return null
  if (Object.keys(planPrices).length === 0 && packs.length === 0) return null
  let loading: Promise<ConnectedStripe> | null = null
  const load = () => (loading ??= connectStripe({ secretKey, apiBase, timeoutMs }))
  const ask = async <T>(question: (shop: Shop) => Promise<T>): Promise<T> => {
    const stripe = await load()
    return await question({ ...stripe, planPrices, packs }).catch((error: unknown) => {
      throw asUnavailable(error, stripe)
    })
  }
  return {
    provider: 'stripe',
    plans: planNames.filter((plan) => planPrices[plan] !== undefined),
    packs: packs.map(({ credits }) => credits),
    startCheckout: (request) => ask((shop) => startCheckout(shop, request)),
    openPortal: (customer, return_url) =>
      ask(async ({ client }) => {
        const session = await client.billingPortal.sessions.create({ customer, return_url })
        return session.url
      }),
    closeCheckout: (id) => ask((shop) => closeCheckout(shop, id)),
    findSubscription: (id) => ask((shop) => findSubscription(shop, id)),
    cancelSubscription: (id) => ask((shop) => cancelSubscription(shop, id)),
    async readEvent(body, signature, wasSeen) {
      const event = await verifiedEvent(await load(), body, signature, billingWebhookSecret)
      if (await wasSeen(event.id)) return null
      return await ask((shop) => eventOf(shop, event).catch(nullIfMissing(shop)))
    },
  }
}

async function startCheckout(
  shop: Shop,
  request: CheckoutRequest,
): Promise<{ readonly id: string; readonly url: string }> {
  const { checkoutId, workspaceId, item, customerId, email } = request
  const metadata = { workspace_id: workspaceId, checkout_id: checkoutId }
  const mode = item.kind === 'plan' ? 'subscription' : 'payment'
  const session = await shop.client.checkout.sessions.create(
    {
      mode,
      line_items: [{ price: priceIdOf(shop, item), quantity: 1 }],
      client_reference_id: checkoutId,
      metadata,
      success_url: request.successUrl,
      cancel_url: request.cancelUrl,
      ...(customerId === null ? { customer_email: email } : { customer: customerId }),
      ...(mode === 'subscription' ? { subscription_data: { metadata } } : {}),
      // The portal shows receipts only to a customer.
      ...(mode === 'payment' && customerId === null ? { customer_creation: 'always' } : {}),
    },
    { idempotencyKey: checkoutId },
  )
  if (session.url === null) throw new BillingUnavailable('the checkout has no address')
  return { id: session.id, url: session.url }
}

/** The subscription that a checkout bought; null without one, or when the account does not know it. */
async function closeCheckout(shop: Shop, id: string): Promise<SubscriptionState | null> {
  const session = await expire(shop, id)
  if (session === null) return null
  if (session.status === 'open') throw new BillingUnavailable('the checkout could not be closed')
  return await findSubscription(shop, session.subscription)
}

/** Expires a session; one that is no longer open cannot be expired and is only read. */
async function expire(
  stripe: ConnectedStripe,
  id: string,
): Promise<Stripe.Checkout.Session | null> {
  const { sessions } = stripe.client.checkout
  try {
    return await sessions.expire(id)
  } catch (error) {
    if (isMissing(error, stripe)) return null
    if (!isRefused(error, stripe)) throw error
    return await sessions.retrieve(id)
  }
}

function priceIdOf({ planPrices, packs }: Shop, item: Item): string {
  const priceId =
    item.kind === 'plan'
      ? planPrices[item.plan]
      : packs.find(({ credits }) => credits === item.credits)?.priceId
  if (priceId === undefined) throw new BillingUnavailable('the item has no price')
  return priceId
}

/** Events come late, twice and out of order, so they only decide what to look up. */
async function eventOf(shop: Shop, event: Stripe.Event): Promise<BillingEvent | null> {
  const unchanged = {
    id: event.id,
    type: event.type,
    checkout: null,
    subscription: null,
    refunds: [],
  }
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      if (!isObjectId(event.data.object.id)) return null
      const session = await shop.client.checkout.sessions.retrieve(event.data.object.id)
      const subscription = await findSubscription(shop, session.subscription)
      return { ...unchanged, checkout: checkoutOf(session), subscription }
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed': {
      const subscription = await findSubscription(shop, event.data.object.id)
      return { ...unchanged, subscription }
    }
    case 'invoice.paid':
    case 'invoice.payment_failed': {
      const reference = event.data.object.parent?.subscription_details?.subscription
      if (reference === undefined) return null
      return { ...unchanged, subscription: await findSubscription(shop, reference) }
    }
    case 'charge.refunded':
      return await refundOf(shop, event, event.data.object.id)
    case 'refund.failed':
      return await refundOf(shop, event, idOf(event.data.object.charge))
    default:
      return null
  }
}

/** An event about an object that the account does not know is of no interest. */
function nullIfMissing(shop: Shop) {
  return (error: unknown): null => {
    if (isMissing(error, shop)) return null
    throw error
  }
}

function checkoutOf(session: Stripe.Checkout.Session): BillingEvent['checkout'] {
  const { client_reference_id: id, customer, payment_status } = session
  return id === null
    ? null
    : { id, customerId: idOf(customer), isPaid: payment_status !== 'unpaid' }
}

/** The refunds of a payment and its checkout; null when the payment is not from our checkouts. */
async function refundOf(
  { client }: ConnectedStripe,
  { id, type }: Pick<Stripe.Event, 'id' | 'type'>,
  chargeId: string | null,
): Promise<BillingEvent | null> {
  if (!isObjectId(chargeId)) return null
  const charge = await client.charges.retrieve(chargeId)
  const payment_intent = idOf(charge.payment_intent)
  if (payment_intent === null) return null
  const sessions = await client.checkout.sessions.list({ payment_intent, limit: 1 })
  const [session] = sessions.data
  const checkout = session === undefined ? null : checkoutOf(session)
  if (checkout === null) return null
  const { data } = await client.refunds.list({ charge: chargeId, limit: 100 })
  const refunds = data.map(({ id: refundId, amount, status }) => ({
    id: refundId,
    amountMinor: amount,
    paidMinor: charge.amount,
    isOff: status === 'failed' || status === 'canceled',
  }))
  return { id, type, checkout, subscription: null, refunds }
}

async function findSubscription(
  shop: Shop,
  reference: Reference,
): Promise<SubscriptionState | null> {
  const id = idOf(reference)
  if (!isObjectId(id)) return null
  try {
    return stateOf(await shop.client.subscriptions.retrieve(id), shop.planPrices)
  } catch (error) {
    if (isMissing(error, shop)) return null
    throw error
  }
}

/** Stripe refuses to cancel a subscription that has ended. */
async function cancelSubscription(shop: Shop, id: string): Promise<void> {
  try {
    await shop.client.subscriptions.cancel(id)
  } catch (error) {
    if (!isRefused(error, shop)) throw error
    if ((await findSubscription(shop, id))?.isLive) throw error
  }
}

/** Stripe retries a failed payment for days, as the account's settings say. */
const liveStatuses: readonly string[] = ['active', 'trialing', 'past_due']

function stateOf(subscription: Stripe.Subscription, planPrices: PlanPrices): SubscriptionState {
  const item = subscription.items.data[0]
  const { status, cancel_at } = subscription
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer) ?? '',
    workspaceId: subscription.metadata.workspace_id ?? null,
    status,
    isLive: liveStatuses.includes(status),
    plan: planOf(item?.price.id, planPrices),
    periodStartsAt: milliseconds(item?.current_period_start),
    periodEndsAt: milliseconds(item?.current_period_end),
    cancelsAt: milliseconds(cancel_at),
  }
}

function planOf(priceId: string | undefined, planPrices: PlanPrices): Plan | null {
  return planNames.find((plan) => priceId !== undefined && planPrices[plan] === priceId) ?? null
}

function milliseconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1000
}

/** Stripe refers to a record by its id, or by the whole record when that was requested. */
type Reference = string | { readonly id: string } | null | undefined

function idOf(record: Reference): string | null {
  if (record === null || record === undefined) return null
  return typeof record === 'string' ? record : record.id
}

function asUnavailable(error: unknown, { library }: ConnectedStripe): unknown {
  if (!(error instanceof library.errors.StripeError)) return error
  return new BillingUnavailable(`${error.type}: ${error.message}`, { cause: error })
}
