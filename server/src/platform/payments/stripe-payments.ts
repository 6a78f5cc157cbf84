import type Stripe from 'stripe'
import { hourSeconds } from '#kernel/durations.ts'
import {
  isAuthenticationRefused,
  PaymentInDoubt,
  tokenizedCard,
  type Authentication,
  type ChargeOutcome,
  type ChargeRequest,
  type PaymentHandler,
  type Payments,
  type RecallRequest,
} from './payments.ts'
import { stripeAmount } from './stripe-amounts.ts'
import {
  connectStripe,
  isRefused,
  type ConnectedStripe as Loaded,
  type StripeAccount,
} from './stripe-client.ts'
import { readStripeEvent } from './stripe-events.ts'
import { inDoubt, outcomeOf, outcomeOfError, untried } from './stripe-outcomes.ts'
import { refund } from './stripe-refunds.ts'

interface StripeOptions extends StripeAccount {
  readonly webhookSecret: string | undefined
  /** Where the bank's page sends the buyer's browser back to. */
  readonly returnUrl: string
}

/** This version has the preview of shared payment tokens; the package pins an earlier one. */
const sharedTokensVersion = '2026-04-22.preview'

/** Stripe, through its official package, which is loaded with the first payment. */
export function createStripePayments(options: StripeOptions): Payments {
  let loading: Promise<Loaded> | null = null
  const isTest = options.secretKey.includes('_test_')
  const { returnUrl } = options
  // Stripe accepts a return address without HTTPS only for test payments.
  const comesBack = isTest || returnUrl.startsWith('https:')
  const returning = comesBack ? { return_url: returnUrl } : {}
  const load = () => (loading ??= connectStripe(options))
  return {
    provider: 'stripe',
    isTest,
    needsCredential: true,
    handlers: [stripeHandler(isTest)],
    charge: async (request) => charge(await load(), request, returning),
    recall: async (request) => recall(await load(), request),
    void: async (reference) => voidIntent(await load(), reference),
    refund: async (request) => refund(await load(), request),
    readEvent: async (body, signature) =>
      readStripeEvent(await load(), body, signature, options.webhookSecret),
  }
}

/** Without a return address, Stripe does not offer the bank's page to the buyer. */
interface Returning {
  readonly return_url?: string
}

async function charge(
  loaded: Loaded,
  request: ChargeRequest,
  returning: Returning,
): Promise<ChargeOutcome> {
  const options = { idempotencyKey: request.paymentId, apiVersion: sharedTokensVersion }
  const { client, library } = loaded
  try {
    if (request.continues !== null)
      return await proceed(loaded, request, request.continues, returning)
    if (isAuthenticationRefused(request.authentication))
      return { status: 'declined', reference: null, code: 'authentication_failed' }
    const parameters = intentOf(request)
    if (parameters === null) return { status: 'declined', reference: null, code: 'amount_invalid' }
    const intent = await client.paymentIntents.create({ ...parameters, ...returning }, options)
    return await withPage(loaded, outcomeOf(intent))
  } catch (error) {
    if (error instanceof PaymentInDoubt) throw error
    if (error instanceof library.errors.StripeIdempotencyError)
      return await recallAsked(loaded, request, error)
    return outcomeOfError(error, library, request.isAgain)
  }
}

/**
 * Stripe knows the key with another request: an earlier version of Parley sent it, or one with another
 * return address. Its outcome is looked up, because Stripe refuses this key for a day.
 *
 * @throws PaymentInDoubt while that request's payment cannot be found
 */
async function recallAsked(
  loaded: Loaded,
  { paymentId, askedAt, continues }: ChargeRequest,
  error: unknown,
): Promise<ChargeOutcome> {
  const outcome = await recall(loaded, { paymentId, askedAt, reference: continues })
  if (outcome.status === 'declined' && (outcome.code === neverCharged || outcome.code === untried))
    throw inDoubt(error, loaded.library)
  return outcome
}

/** Cancels a charge that waits for the buyer without a page for them: it would wait for ever. */
async function withPage(loaded: Loaded, outcome: ChargeOutcome): Promise<ChargeOutcome> {
  if (outcome.status !== 'requires_action' || outcome.continueUrl !== null) return outcome
  return await giveUp(loaded, outcome.reference, 'authentication_unavailable')
}

function intentOf(request: ChargeRequest): Stripe.PaymentIntentCreateParams | null {
  const amount = stripeAmount(request.amountMinor, request.currency)
  if (amount === null || request.credential === null) return null
  const { type, token } = request.credential
  const method =
    type === 'spt' || token.startsWith('spt_')
      ? { payment_method_data: { shared_payment_granted_token: token } }
      : { payment_method: token }
  // The package sends the preview's parameter but does not type it yet.
  return {
    amount,
    currency: request.currency,
    confirm: true,
    metadata: { payment_id: request.paymentId, session_id: request.sessionId },
    ...authenticationOf(request.authentication),
    ...method,
  } as Stripe.PaymentIntentCreateParams
}

/** Confirms the PaymentIntent with the issuer's proof, after the buyer authenticated elsewhere. */
async function proceed(
  loaded: Loaded,
  request: ChargeRequest,
  reference: string,
  returning: Returning,
): Promise<ChargeOutcome> {
  const { authentication, paymentId } = request
  const parameters = { ...authenticationOf(authentication), ...returning }
  if (!('payment_method_options' in parameters))
    return await giveUp(loaded, reference, 'authentication_failed')
  try {
    const options = { idempotencyKey: paymentId, apiVersion: sharedTokensVersion }
    const intent = await loaded.client.paymentIntents.confirm(reference, parameters, options)
    return await withPage(loaded, outcomeOf(intent))
  } catch (error) {
    if (!isRefused(error, loaded) || error.statusCode !== 400) throw error
    // Either the buyer has already paid on the provider's page, or the proof is invalid.
    return await giveUp(loaded, reference, error.code ?? 'invalid_request')
  }
}

/** Cancels a charge that waits for the buyer, unless the buyer has paid in the meantime. */
async function giveUp(loaded: Loaded, reference: string, code: string): Promise<ChargeOutcome> {
  try {
    await loaded.client.paymentIntents.cancel(reference)
  } catch (error) {
    if (!isRefused(error, loaded)) throw error
    const current = outcomeOf(await loaded.client.paymentIntents.retrieve(reference))
    if (current.status !== 'declined') return current
  }
  return { status: 'declined', reference, code }
}

/** Outcomes with a proof (protocol: AuthenticationResult); it is ignored with any other outcome. */
const proven: ReadonlySet<string> = new Set([
  'authenticated',
  'attempt_acknowledged',
  'informational',
])

function authenticationOf(authentication: Authentication | null) {
  if (authentication !== null && !proven.has(authentication.outcome)) return {}
  const { cryptogram, transactionId, version } = authentication ?? {}
  if (cryptogram === undefined || transactionId === undefined || version === undefined) return {}
  const three_d_secure = {
    cryptogram,
    transaction_id: transactionId,
    // Issuers add versions; Stripe refuses unknown ones.
    version: version as '2.2.0',
    ...(authentication?.electronicCommerceIndicator === undefined
      ? {}
      : {
          electronic_commerce_indicator: authentication.electronicCommerceIndicator as '05', // checked by our schema
        }),
  }
  return { payment_method_options: { card: { three_d_secure } } }
}

/** Stripe has no payment for the charge. */
const neverCharged = 'never_charged'

async function recall(loaded: Loaded, request: RecallRequest): Promise<ChargeOutcome> {
  const { paymentId, reference, askedAt } = request
  try {
    if (reference !== null)
      return await withPage(
        loaded,
        outcomeOf(await loaded.client.paymentIntents.retrieve(reference)),
      )
    for (const created of whenMade(askedAt)) {
      const intent = await findMade(loaded, paymentId, created)
      if (intent !== null) return await withPage(loaded, outcomeOf(intent))
    }
    return { status: 'declined', reference: null, code: neverCharged }
  } catch (error) {
    if (error instanceof PaymentInDoubt) throw error
    throw inDoubt(error, loaded.library)
  }
}

type Period = Readonly<Record<'gte' | 'lte', number>>

/**
 * The periods in which a payment may have been created, in Unix seconds: most likely with the first
 * request, else with a retry. A day later Stripe forgets the key, and Parley stops using it.
 */
function whenMade(askedAt: number): readonly Period[] {
  const at = Math.floor(askedAt / 1000)
  return [
    { gte: at - hourSeconds, lte: at + hourSeconds },
    { gte: at + hourSeconds + 1, lte: at + 25 * hourSeconds },
  ]
}

/** The most payments of a period that are searched. */
const maxRecalled = 10_000

async function findMade({ client }: Loaded, paymentId: string, created: Period) {
  let seen = 0
  for await (const intent of client.paymentIntents.list({ created, limit: 100 })) {
    if (intent.metadata.payment_id === paymentId) return intent
    seen += 1
    if (seen >= maxRecalled) throw new PaymentInDoubt('too many payments to search')
  }
  return null
}

async function voidIntent(loaded: Loaded, reference: string) {
  const { client, library } = loaded
  try {
    await client.paymentIntents.cancel(reference)
    return 'voided' as const
  } catch (error) {
    if (!isRefused(error, loaded)) throw inDoubt(error, library)
    // It was canceled or paid before.
    const intent = await client.paymentIntents.retrieve(reference).catch((cause: unknown) => {
      throw inDoubt(cause, library)
    })
    if (intent.status === 'succeeded') return 'succeeded' as const
    if (intent.status === 'canceled') return 'voided' as const
    throw inDoubt(error, library)
  }
}

function stripeHandler(isTest: boolean): PaymentHandler {
  return {
    ...tokenizedCard,
    id: 'card_tokenized',
    display_name: 'Card',
    requires_delegate_payment: true,
    psp: 'stripe',
    config: {
      psp: 'stripe',
      environment: isTest ? 'test' : 'production',
      supports_3ds: true,
      credential_types: ['spt'],
    },
  }
}
