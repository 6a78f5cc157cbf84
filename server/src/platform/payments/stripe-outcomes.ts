import type Stripe from 'stripe'
import { PaymentInDoubt, type ChargeOutcome, type RefundOutcome } from './payments.ts'

/** The outcome of a PaymentIntent (https://docs.stripe.com/payments/paymentintents/lifecycle). */
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
      // `processing`: some methods take days; an event or the next lookup brings the outcome.
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
 * The page where the buyer can act. Each type of action has its own object, with or without a page:
 * `use_stripe_sdk` is for Stripe's scripts in a page of the shop.
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
 * The outcome of a Refund (https://docs.stripe.com/api/refunds/object#refund_object-status). Every
 * status that is not final is pending: `requires_action` waits for the buyer's bank account, say.
 */
export function refundOutcomeOf({ id, status, failure_reason }: Stripe.Refund): RefundOutcome {
  if (status === 'failed' || status === 'canceled')
    return { status: 'declined', reference: id, code: failure_reason ?? status }
  return { status: status === 'succeeded' ? 'succeeded' : 'pending', reference: id }
}

/**
 * The outcome after an error of the SDK. Only a charge that Stripe refused has certainly not been
 * made; a broken connection, Stripe's own errors and a key in use leave it in doubt. So do refused
 * credentials on a retry, because the first attempt may have had valid ones.
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

/** A card error contains its PaymentIntent. */
function intentOf(error: Stripe.errors.StripeError): string | null {
  const { raw } = error
  if (typeof raw !== 'object' || raw === null || !('payment_intent' in raw)) return null
  const intent = raw.payment_intent
  return typeof intent === 'object' && intent !== null && 'id' in intent ? String(intent.id) : null
}

/**
 * The code of a payment without an attempt to charge it: Stripe creates it before it charges, so it may
 * still be paid.
 */
export const untried = 'untried'

function declineCode(error: Stripe.PaymentIntent.LastPaymentError | null): string {
  return error === null ? untried : (error.decline_code ?? error.code ?? 'declined')
}

/** For lookups: a missing or refused answer says nothing about the payment. */
export function inDoubt(error: unknown, library: typeof Stripe): PaymentInDoubt {
  const isTheirs = error instanceof library.errors.StripeError
  const detail = isTheirs ? `${error.type}: ${error.message}` : String(error)
  return new PaymentInDoubt(detail, { cause: error })
}
