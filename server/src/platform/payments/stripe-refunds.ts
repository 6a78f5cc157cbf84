import type Stripe from 'stripe'
import type { RefundOutcome, RefundRequest } from './payments.ts'
import { stripeAmount } from './stripe-amounts.ts'
import type { ConnectedStripe } from './stripe-client.ts'
import { inDoubt, outcomeOfError, refundOutcomeOf } from './stripe-outcomes.ts'

/**
 * Refunds once: it first looks for a refund that Stripe may already have accepted.
 *
 * @throws PaymentInDoubt
 */
export async function refund(
  stripe: ConnectedStripe,
  request: RefundRequest,
): Promise<RefundOutcome> {
  const known = await find(stripe, request)
  if (known !== null) return refundOutcomeOf(known)
  const { client, library } = stripe
  const { refundId, chargeReference, amountMinor, currency } = request
  const amount = stripeAmount(amountMinor, currency)
  if (amount === null) return { status: 'declined', reference: null, code: 'amount_invalid' }
  try {
    const made = await client.refunds.create(
      { payment_intent: chargeReference, amount, metadata: { refund_id: refundId } },
      { idempotencyKey: refundId },
    )
    return refundOutcomeOf(made)
  } catch (error) {
    const outcome = outcomeOfError(error, library, request.isAgain)
    if (outcome.status === 'declined') return outcome
    throw inDoubt(error, library)
  }
}

/** A retry with the key repeats Stripe's first answer, so the present state is read by the id. */
async function find(
  { client, library }: ConnectedStripe,
  { refundId, chargeReference, isForgotten, reference }: RefundRequest,
): Promise<Stripe.Refund | null> {
  try {
    if (reference !== null) return await client.refunds.retrieve(reference)
    if (!isForgotten) return null
    for await (const made of client.refunds.list({ payment_intent: chargeReference, limit: 100 }))
      if (made.metadata?.refund_id === refundId) return made
    return null
  } catch (error) {
    throw inDoubt(error, library)
  }
}
