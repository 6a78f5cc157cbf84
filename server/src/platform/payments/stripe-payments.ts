import type Stripe from 'stripe'
import { isAuthenticationRefused } from './authentication-refused.ts'
import {
  PaymentInDoubt,
  type Authentication,
  type ChargeOutcome,
  type ChargeRequest,
  type PaymentHandler,
  type Payments,
  type RecallRequest,
} from './payments.ts'
import { stripeAmount } from './stripe-amounts.ts'
import { connectStripe, type ConnectedStripe as Loaded } from './stripe-client.ts'
import { readStripeEvent } from './stripe-events.ts'
import { inDoubt, outcomeOf, outcomeOfError, untried } from './stripe-outcomes.ts'
import { refund } from './stripe-refunds.ts'

export interface StripeOptions {
  readonly secretKey: string
  readonly webhookSecret: string | undefined
  /** Another address of the API, for a proxy or a test. */
  readonly apiBase: string | undefined
  readonly timeoutMs: number
  /** Where the buyer's browser comes back to from their bank. */
  readonly returnUrl: string
}

/** Shared payment tokens are in preview under this version; the package pins an earlier one. */
const sharedTokensVersion = '2026-04-22.preview'

/** Stripe, through its official package. The package is loaded with the first payment. */
export function createStripePayments(options: StripeOptions): Payments {
  let loading: Promise<Loaded> | null = null
  const isTest = options.secretKey.includes('_test_')
  const { returnUrl } = options
  // Real payments come back by HTTPS alone.
  const comesBack = isTest || returnUrl.startsWith('https:')
  const returning = comesBack ? { return_url: returnUrl } : {}
  const load = () => (loading ??= connectStripe(options))
  return {
    provider: 'stripe',
    isTest,
    needsCredential: true,
    handlers: [stripeHandler(options)],
    charge: async (request) => charge(await load(), request, returning),
    recall: async (request) => recall(await load(), request),
    void: async (reference) => voidIntent(await load(), reference),
    refund: async (request) => refund(await load(), request),
    readEvent: async (body, signature) =>
      readStripeEvent(await load(), { body, signature, secret: options.webhookSecret }),
  }
}

/** Without an address to come back to, a bank's page is not offered to the buyer. */
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
 * Stripe knows the key with another body: an earlier version of us asked, or one at another address
 * to come back to. What came of that is looked up; asked again, it would be refused all day.
 *
 * @throws PaymentInDoubt while there is nothing to be seen of it
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

/** Nobody can do what a buyer is asked for without a page for it: the charge would wait for ever. */
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
  // The package does not type the preview's parameter yet, but sends what it is given.
  return {
    amount,
    currency: request.currency,
    confirm: true,
    metadata: { payment_id: request.paymentId, session_id: request.sessionId },
    ...authenticationOf(request.authentication),
    ...method,
  } as Stripe.PaymentIntentCreateParams
}

/** The buyer authenticated elsewhere: the same PaymentIntent is confirmed with the issuer's proof. */
async function proceed(
  loaded: Loaded,
  request: ChargeRequest,
  reference: string,
  returning: Returning,
): Promise<ChargeOutcome> {
  const { client, library } = loaded
  const { authentication, paymentId } = request
  const parameters = { ...authenticationOf(authentication), ...returning }
  if (!('payment_method_options' in parameters))
    return await giveUp(loaded, reference, 'authentication_failed')
  try {
    const options = { idempotencyKey: paymentId, apiVersion: sharedTokensVersion }
    const intent = await client.paymentIntents.confirm(reference, parameters, options)
    return await withPage(loaded, outcomeOf(intent))
  } catch (error) {
    const isRefused = error instanceof library.errors.StripeInvalidRequestError
    if (!isRefused || error.statusCode !== 400) throw error
    // The buyer has paid at the provider's page already, or the proof is none: Stripe knows which.
    return await giveUp(loaded, reference, error.code ?? 'invalid_request')
  }
}

/** Ends a charge that waits for the buyer; when the money has moved meanwhile, it was paid. */
async function giveUp(
  { client, library }: Loaded,
  reference: string,
  code: string,
): Promise<ChargeOutcome> {
  try {
    await client.paymentIntents.cancel(reference)
  } catch (error) {
    if (!(error instanceof library.errors.StripeInvalidRequestError)) throw error
    const current = outcomeOf(await client.paymentIntents.retrieve(reference))
    if (current.status !== 'declined') return current
  }
  return { status: 'declined', reference, code }
}

/** Outcomes that come with a proof (protocol: AuthenticationResult); after others none counts. */
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
    // Issuers add versions; Stripe refuses those it does not know.
    version: version as '2.2.0',
    ...(authentication?.electronicCommerceIndicator === undefined
      ? {}
      : {
          electronic_commerce_indicator: authentication.electronicCommerceIndicator as '05', // read by our schema
        }),
  }
  return { payment_method_options: { card: { three_d_secure } } }
}

/** There is no trace of the charge. */
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

const hour = 3600
type Period = Readonly<Record<'gte' | 'lte', number>>

/**
 * When a payment may have been made, in Unix seconds: most likely when it was first asked for, else
 * when it was asked for again. A day later Stripe forgets its key, and nobody asks under it any more.
 */
function whenMade(askedAt: number): readonly Period[] {
  const at = Math.floor(askedAt / 1000)
  return [
    { gte: at - hour, lte: at + hour },
    { gte: at + hour + 1, lte: at + 25 * hour },
  ]
}

/** How many of the provider's payments of a period are looked through. */
const maxRecalled = 10_000

async function findMade({ client }: Loaded, paymentId: string, created: Period) {
  let seen = 0
  for await (const intent of client.paymentIntents.list({ created, limit: 100 })) {
    if (intent.metadata.payment_id === paymentId) return intent
    seen += 1
    if (seen >= maxRecalled) throw new PaymentInDoubt('too many payments to look through')
  }
  return null
}

async function voidIntent({ client, library }: Loaded, reference: string) {
  try {
    await client.paymentIntents.cancel(reference)
    return 'voided' as const
  } catch (error) {
    if (!(error instanceof library.errors.StripeInvalidRequestError)) throw inDoubt(error, library)
    // It cannot be canceled: it is canceled already, or the money has moved.
    const intent = await client.paymentIntents.retrieve(reference).catch((cause: unknown) => {
      throw inDoubt(cause, library)
    })
    if (intent.status === 'succeeded') return 'succeeded' as const
    if (intent.status === 'canceled') return 'voided' as const
    throw inDoubt(error, library)
  }
}

function stripeHandler({ secretKey }: StripeOptions): PaymentHandler {
  const docs = 'https://agenticcommerce.dev'
  return {
    id: 'card_tokenized',
    name: 'dev.acp.tokenized.card',
    display_name: 'Card',
    version: '2026-01-22',
    spec: `${docs}/handlers/tokenized.card`,
    requires_delegate_payment: true,
    requires_pci_compliance: false,
    psp: 'stripe',
    config_schema: `${docs}/schemas/handlers/tokenized.card/config.json`,
    instrument_schemas: [`${docs}/schemas/handlers/tokenized.card/instrument.json`],
    config: {
      psp: 'stripe',
      environment: secretKey.includes('_test_') ? 'test' : 'production',
      supports_3ds: true,
      credential_types: ['spt'],
    },
  }
}
