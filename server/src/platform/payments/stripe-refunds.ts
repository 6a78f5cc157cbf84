import type Stripe from 'stripe'
import type { RefundOutcome, RefundRequest } from './payments.ts'
import { stripeAmount } from './stripe-amounts.ts'
import type { ConnectedStripe } from './stripe-client.ts'
import { inDoubt, outcomeOfError, refundOutcomeOf } from './stripe-outcomes.ts'

/**
 * Gives money back, once: what Stripe may have taken on already is looked for first.
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

/** Under its key Stripe repeats its first answer: what became of a refund since is asked by its id. */
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
