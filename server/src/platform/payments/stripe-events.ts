import {
  BadProviderEvent,
  PaymentInDoubt,
  type ChargeEvent,
  type PaymentEvent,
  type RefundEvent,
} from './payments.ts'
import { isMissing, isObjectId, verifiedEvent, type ConnectedStripe } from './stripe-client.ts'
import { inDoubt, outcomeOf, refundOutcomeOf, untried } from './stripe-outcomes.ts'

/**
 * Reads the PaymentIntent or Refund of an event. Events come late, twice and out of order, so only
 * the object's present state counts.
 *
 * @returns null for an event about another object or one that the account does not know, or about a
 *   charge that has not ended
 * @throws BadProviderEvent, PaymentInDoubt
 */
export async function readStripeEvent(
  stripe: ConnectedStripe,
  body: string,
  signature: string | undefined,
  secret: string | undefined,
): Promise<PaymentEvent | null> {
  if (secret === undefined) throw new BadProviderEvent('STRIPE_WEBHOOK_SECRET is not set')
  const event = await verifiedEvent(stripe, body, signature, secret)
  const { id } = event.data.object as { readonly id?: unknown } // Its type depends on the event's.
  if (!isObjectId(id)) return null
  try {
    if (event.type.startsWith('payment_intent.')) return await chargeEvent(stripe, id)
    return isOfRefund(event.type) ? await refundEvent(stripe, id) : null
  } catch (error) {
    if (error instanceof PaymentInDoubt || isMissing(error, stripe)) return null
    throw inDoubt(error, stripe.library)
  }
}

/** Endpoints of older API versions receive `charge.refund.updated` for some payment methods. */
function isOfRefund(type: string): boolean {
  return type.startsWith('refund.') || type === 'charge.refund.updated'
}

async function chargeEvent({ client }: ConnectedStripe, id: string): Promise<ChargeEvent | null> {
  const intent = await client.paymentIntents.retrieve(id)
  const outcome = outcomeOf(intent)
  if (outcome.status === 'requires_action') return null
  // `payment_intent.created` may arrive before the charge is made.
  if (outcome.status === 'declined' && outcome.code === untried) return null
  return { kind: 'charge', paymentId: intent.metadata.payment_id ?? null, outcome }
}

async function refundEvent({ client }: ConnectedStripe, id: string): Promise<RefundEvent> {
  const refund = await client.refunds.retrieve(id)
  const refundId = refund.metadata?.refund_id ?? null
  return { kind: 'refund', refundId, outcome: refundOutcomeOf(refund) }
}
