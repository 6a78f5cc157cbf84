import type Stripe from 'stripe'
import { PaymentInDoubt, type ChargeOutcome, type RefundOutcome } from './payments.ts'

/** What a PaymentIntent says of its charge (https://docs.stripe.com/payments/paymentintents/lifecycle). */
export function outcomeOf(intent: Stripe.PaymentIntent): ChargeOutcome {
  const reference = intent.id
  switch (intent.status) {
    case 'succeeded':
      return { status: 'succeeded', reference }
    case 'requires_action':
    case 'requires_confirmation':
      return {
        status: 'requires_action',
        reference,
        continueUrl: pageOf(intent.next_action),
        metadata: null,
      }
    case 'canceled':
      return { status: 'declined', reference, code: intent.cancellation_reason ?? 'canceled' }
    case 'requires_payment_method':
      return { status: 'declined', reference, code: declineCode(intent.last_payment_error) }
    default:
      // `processing`: some methods take days; the webhook or the next look tells.
      throw new PaymentInDoubt(`the payment is ${intent.status} at the provider`)
  }
}

const pageFields = [
  'url',
  'hosted_instructions_url',
  'hosted_voucher_url',
  'hosted_verification_url',
] as const

/**
 * Where the buyer can do what is asked of them. Every type of action has an object of its own, with a
 * page or without: `use_stripe_sdk` is for the provider's scripts in a page of the shop's.
 */
function pageOf(action: Stripe.PaymentIntent.NextAction | null): string | null {
  if (action === null) return null
  const fields: Readonly<Record<string, unknown>> = { ...action }
  const own = fields[action.type]
  if (typeof own !== 'object' || own === null) return null
  const pages: Readonly<Record<string, unknown>> = { ...own }
  const page = pageFields.map((name) => pages[name]).find((url) => typeof url === 'string')
  return typeof page === 'string' ? page : null
}

/**
 * What a Refund says of itself (https://docs.stripe.com/api/refunds/object#refund_object-status).
 * Whatever is no end is pending: `requires_action` waits for the buyer, say for a bank account.
 */
export function refundOutcomeOf({ id, status, failure_reason }: Stripe.Refund): RefundOutcome {
  if (status === 'failed' || status === 'canceled')
    return { status: 'declined', reference: id, code: failure_reason ?? status }
  return { status: status === 'succeeded' ? 'succeeded' : 'pending', reference: id }
}

/**
 * What an error of the SDK says of the charge. Only what Stripe refused has certainly not happened;
 * a broken connection, its own errors and a key that is in use leave it in doubt. Credentials that it
 * does not take are no answer to what may have been asked for before with good ones.
 *
 * @throws PaymentInDoubt
 */
export function outcomeOfError(
  error: unknown,
  stripe: typeof Stripe,
  isAgain: boolean,
): ChargeOutcome {
  const { errors } = stripe
  if (error instanceof errors.StripeError && error.statusCode !== 409) {
    const reference = intentOf(error)
    if (error instanceof errors.StripeCardError)
      return { status: 'declined', reference, code: error.decline_code ?? error.code ?? 'declined' }
    if (error instanceof errors.StripeInvalidRequestError)
      return { status: 'declined', reference, code: error.code ?? 'invalid_request' }
    const isOfCredentials =
      error instanceof errors.StripeAuthenticationError ||
      error instanceof errors.StripePermissionError
    if (isOfCredentials && !isAgain)
      return { status: 'declined', reference, code: 'provider_credentials' }
  }
  const detail = error instanceof Error ? error.message : String(error)
  throw new PaymentInDoubt(detail, { cause: error })
}

/** A card error carries the PaymentIntent it ended. */
function intentOf(error: Stripe.errors.StripeError): string | null {
  const { raw } = error
  if (typeof raw !== 'object' || raw === null || !('payment_intent' in raw)) return null
  const intent = raw.payment_intent
  return typeof intent === 'object' && intent !== null && 'id' in intent ? String(intent.id) : null
}

/**
 * The code of a payment that nothing was tried for: Stripe makes it first and charges then, so one
 * that is seen in between may be paid in a moment.
 */
export const untried = 'untried'

function declineCode(error: Stripe.PaymentIntent.LastPaymentError | null): string {
  return error === null ? untried : (error.decline_code ?? error.code ?? 'declined')
}

/** For questions: an answer that did not come, or a refusal to answer, says nothing of the money. */
export function inDoubt(error: unknown, library: typeof Stripe): PaymentInDoubt {
  const isTheirs = error instanceof library.errors.StripeError
  const detail = isTheirs ? `${error.type}: ${error.message}` : String(error)
  return new PaymentInDoubt(detail, { cause: error })
}
