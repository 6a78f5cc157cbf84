import type Stripe from 'stripe'
import {
  BadPaymentEvent,
  PaymentInDoubt,
  type ChargeEvent,
  type PaymentEvent,
  type RefundEvent,
} from './payments.ts'
import type { ConnectedStripe } from './stripe-client.ts'
import { inDoubt, outcomeOf, refundOutcomeOf, untried } from './stripe-outcomes.ts'

interface SignedEvent {
  readonly body: string
  readonly signature: string | undefined
  readonly secret: string | undefined
}

/**
 * What a call of Stripe's is about: a PaymentIntent or a Refund. Calls come late, twice and out of
 * order: what counts is how the object stands now.
 *
 * @returns null for what is about neither, or about a charge without an end
 * @throws BadPaymentEvent, PaymentInDoubt
 */
export async function readStripeEvent(
  stripe: ConnectedStripe,
  signed: SignedEvent,
): Promise<PaymentEvent | null> {
  const event = await verified(stripe, signed)
  const { id } = event.data.object as { readonly id: string } // as all that is read here
  try {
    if (event.type.startsWith('payment_intent.')) return await chargeEvent(stripe, id)
    return isOfRefund(event.type) ? await refundEvent(stripe, id) : null
  } catch (error) {
    if (error instanceof PaymentInDoubt) return null
    throw inDoubt(error, stripe.library)
  }
}

async function verified(
  { client }: ConnectedStripe,
  { body, signature, secret }: SignedEvent,
): Promise<Stripe.Event> {
  if (secret === undefined) throw new BadPaymentEvent('STRIPE_WEBHOOK_SECRET is not set')
  return await client.webhooks
    .constructEventAsync(body, signature ?? '', secret)
    .catch((cause: unknown) => {
      throw new BadPaymentEvent('the signature does not hold', { cause })
    })
}

/** `charge.refund.updated` is what endpoints of older API versions get for some payment methods. */
function isOfRefund(type: string): boolean {
  return type.startsWith('refund.') || type === 'charge.refund.updated'
}

async function chargeEvent({ client }: ConnectedStripe, id: string): Promise<ChargeEvent | null> {
  const intent = await client.paymentIntents.retrieve(id)
  const outcome = outcomeOf(intent)
  if (outcome.status === 'requires_action') return null
  // `payment_intent.created` may overtake the charge that it comes with.
  if (outcome.status === 'declined' && outcome.code === untried) return null
  return { kind: 'charge', paymentId: intent.metadata.payment_id ?? null, outcome }
}

async function refundEvent({ client }: ConnectedStripe, id: string): Promise<RefundEvent> {
  const refund = await client.refunds.retrieve(id)
  const refundId = refund.metadata?.refund_id ?? null
  return { kind: 'refund', refundId, outcome: refundOutcomeOf(refund) }
}
