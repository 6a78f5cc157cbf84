import type Stripe from 'stripe'
import type { CreditPack, PlanPrices } from '#config'
import { planNames, type Plan } from '#kernel/plan.ts'
import {
  connectStripe,
  type ConnectedStripe,
  type StripeAccount,
} from '#platform/payments/stripe-client.ts'
import {
  BadBillingEvent,
  BillingUnavailable,
  type Billing,
  type BillingEvent,
  type CheckoutRequest,
  type Item,
  type SubscriptionState,
} from './billing.ts'

export interface StripeBillingOptions extends StripeAccount {
  readonly webhookSecret: string
  readonly planPrices: PlanPrices
  readonly packs: readonly CreditPack[]
}

/** Stripe Billing, through the official package: Checkout, the customer portal, webhooks. */
export function createStripeBilling(options: StripeBillingOptions): Billing {
  let loading: Promise<ConnectedStripe> | null = null
  const load = () => (loading ??= connectStripe(options))
  const ask = async <T>(question: (stripe: ConnectedStripe) => Promise<T>): Promise<T> => {
    const stripe = await load()
    return await question(stripe).catch((error: unknown) => {
      throw asUnavailable(error, stripe)
    })
  }
  const { planPrices, packs } = options
  return {
    provider: 'stripe',
    plans: planNames.filter((plan) => planPrices[plan] !== undefined),
    packs: packs.map(({ credits }) => credits),
    startCheckout: (request) => ask((stripe) => startCheckout(stripe, options, request)),
    openPortal: (customer, return_url) =>
      ask(async ({ client }) => {
        const session = await client.billingPortal.sessions.create({ customer, return_url })
        return session.url
      }),
    closeCheckout: (id) => ask((stripe) => closeCheckout(stripe, options, id)),
    findSubscription: (id) => ask((stripe) => findSubscription(stripe, options, id)),
    cancelSubscription: (id) => ask((stripe) => cancelSubscription(stripe, options, id)),
    async readEvent(body, signature, wasSeen) {
      const event = await verify(await load(), options, body, signature)
      if (await wasSeen(event.id)) return null
      return await ask((stripe) => eventOf(stripe, options, event))
    },
  }
}

async function startCheckout(
  { client }: ConnectedStripe,
  options: StripeBillingOptions,
  request: CheckoutRequest,
): Promise<{ readonly id: string; readonly url: string }> {
  const { checkoutId, workspaceId, item, customerId, email } = request
  const metadata = { workspace_id: workspaceId, checkout_id: checkoutId }
  const mode = item.kind === 'plan' ? 'subscription' : 'payment'
  const session = await client.checkout.sessions.create(
    {
      mode,
      line_items: [{ price: priceIdOf(options, item), quantity: 1 }],
      client_reference_id: checkoutId,
      metadata,
      success_url: request.successUrl,
      cancel_url: request.cancelUrl,
      ...(customerId === null ? { customer_email: email } : { customer: customerId }),
      ...(mode === 'subscription' ? { subscription_data: { metadata } } : {}),
      // A customer is what the portal shows receipts to.
      ...(mode === 'payment' && customerId === null ? { customer_creation: 'always' } : {}),
    },
    { idempotencyKey: checkoutId },
  )
  if (session.url === null) throw new BillingUnavailable('a checkout without an address')
  return { id: session.id, url: session.url }
}

/** What came of a session; null where nothing did, also where this account knows none of this id. */
async function closeCheckout(
  stripe: ConnectedStripe,
  options: StripeBillingOptions,
  id: string,
): Promise<SubscriptionState | null> {
  const session = await expire(stripe, id)
  if (session === null) return null
  if (session.status === 'open') throw new BillingUnavailable('a checkout cannot be closed')
  const subscriptionId = idOf(session.subscription)
  return subscriptionId === null ? null : await findSubscription(stripe, options, subscriptionId)
}

/** A session that is not open any more cannot be expired: then it is read. */
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

function priceIdOf({ planPrices, packs }: StripeBillingOptions, item: Item): string {
  const priceId =
    item.kind === 'plan'
      ? planPrices[item.plan]
      : packs.find(({ credits }) => credits === item.credits)?.priceId
  if (priceId === undefined) throw new BillingUnavailable('there is no price for this')
  return priceId
}

async function verify(
  { client }: ConnectedStripe,
  { webhookSecret }: StripeBillingOptions,
  body: string,
  signature: string | undefined,
): Promise<Stripe.Event> {
  return await client.webhooks
    .constructEventAsync(body, signature ?? '', webhookSecret)
    .catch((cause: unknown) => {
      throw new BadBillingEvent('the signature does not hold', { cause })
    })
}

/** Events come late, twice and out of order: they only say what to look at. */
async function eventOf(
  stripe: ConnectedStripe,
  options: StripeBillingOptions,
  event: Stripe.Event,
): Promise<BillingEvent | null> {
  const { id, type } = event
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const session = await stripe.client.checkout.sessions.retrieve(event.data.object.id)
      const subscriptionId = idOf(session.subscription)
      const subscription =
        subscriptionId === null ? null : await findSubscription(stripe, options, subscriptionId)
      return { id, type, checkout: checkoutOf(session), subscription, refunds: [] }
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
      return {
        id,
        type,
        checkout: null,
        subscription: await findSubscription(stripe, options, event.data.object.id),
        refunds: [],
      }
    case 'invoice.paid':
    case 'invoice.payment_failed': {
      const subscriptionId = idOf(event.data.object.parent?.subscription_details?.subscription)
      if (subscriptionId === null) return null
      const subscription = await findSubscription(stripe, options, subscriptionId)
      return { id, type, checkout: null, subscription, refunds: [] }
    }
    case 'charge.refunded':
      return await refundOf(stripe, event, event.data.object.id)
    case 'refund.failed':
      return await refundOf(stripe, event, idOf(event.data.object.charge))
    default:
      return null
  }
}

function checkoutOf(session: Stripe.Checkout.Session): BillingEvent['checkout'] {
  const { client_reference_id: id, customer, payment_status } = session
  return id === null
    ? null
    : { id, customerId: idOf(customer), isPaid: payment_status !== 'unpaid' }
}

/** What was given back of a payment, and which of our checkouts it was; null of any other payment. */
async function refundOf(
  { client }: ConnectedStripe,
  { id, type }: Pick<Stripe.Event, 'id' | 'type'>,
  chargeId: string | null,
): Promise<BillingEvent | null> {
  if (chargeId === null) return null
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
  stripe: ConnectedStripe,
  { planPrices }: StripeBillingOptions,
  id: string,
): Promise<SubscriptionState | null> {
  try {
    return stateOf(await stripe.client.subscriptions.retrieve(id), planPrices)
  } catch (error) {
    if (isMissing(error, stripe)) return null
    throw error
  }
}

/** Stripe refuses to end what has ended. */
async function cancelSubscription(
  stripe: ConnectedStripe,
  options: StripeBillingOptions,
  id: string,
): Promise<void> {
  try {
    await stripe.client.subscriptions.cancel(id)
  } catch (error) {
    if (!isRefused(error, stripe)) throw error
    if ((await findSubscription(stripe, options, id))?.isLive) throw error
  }
}

/** Stripe understood, and will not do it as things stand. */
function isRefused(
  error: unknown,
  { library }: ConnectedStripe,
): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof library.errors.StripeInvalidRequestError
}

/** Also of what was made with another key: a test key's records are unknown to the live one. */
function isMissing(error: unknown, stripe: ConnectedStripe): boolean {
  return isRefused(error, stripe) && error.statusCode === 404
}

/** Of a payment that failed Stripe tries again for days, as its account's settings say. */
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
  return (
    planNames.find((plan) => planPrices[plan] !== undefined && planPrices[plan] === priceId) ?? null
  )
}

function milliseconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1000
}

/** Stripe gives an id, or the whole record where it was asked to. */
function idOf(record: string | { readonly id: string } | null | undefined): string | null {
  if (record === null || record === undefined) return null
  return typeof record === 'string' ? record : record.id
}

function asUnavailable(error: unknown, { library }: ConnectedStripe): unknown {
  if (!(error instanceof library.errors.StripeError)) return error
  return new BillingUnavailable(`${error.type}: ${error.message}`, { cause: error })
}
