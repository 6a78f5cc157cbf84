/** Charges buyers. The whole service uses one provider; `test` moves no money. */
export interface Payments {
  readonly provider: 'test' | 'stripe'
  /** True when no money moves: its orders are marked as test orders. */
  readonly isTest: boolean
  /** True when a charge without a credential of the buyer is refused. */
  readonly needsCredential: boolean
  /** The payment methods of shopping agents: the protocol's `capabilities.payment.handlers`. */
  readonly handlers: readonly PaymentHandler[]
  /**
   * Charges the buyer. A retry with the same key has the same outcome and never makes a second
   * charge, even after this process died.
   *
   * @throws PaymentInDoubt when it is unknown whether the charge was made
   */
  charge(request: ChargeRequest): Promise<ChargeOutcome>
  /**
   * The outcome of a charge that was requested long ago, when the provider may have forgotten the
   * key: `declined` when the provider does not know it.
   *
   * @throws PaymentInDoubt
   */
  recall(request: RecallRequest): Promise<ChargeOutcome>
  /**
   * Cancels a charge that waits for the buyer.
   *
   * @returns `succeeded` when the money has moved meanwhile
   * @throws PaymentInDoubt
   */
  void(reference: string): Promise<'voided' | 'succeeded'>
  /**
   * Refunds a charge, or looks up its refund. A `pending` refund may take days, and one that has
   * succeeded may still fail.
   *
   * @throws PaymentInDoubt
   */
  refund(request: RefundRequest): Promise<RefundOutcome>
  /**
   * Reads an event of the provider; null when it does not concern a payment.
   *
   * @throws BadProviderEvent when the signature is invalid
   */
  readEvent(body: string, signature: string | undefined): Promise<PaymentEvent | null>
}

/** The protocol's PaymentHandler. */
export interface PaymentHandler {
  readonly id: string
  readonly name: string
  readonly display_name: string
  readonly version: string
  readonly spec: string
  readonly requires_delegate_payment: boolean
  readonly requires_pci_compliance: boolean
  readonly psp: string
  readonly config_schema: string
  readonly instrument_schemas: readonly string[]
  readonly config: Readonly<Record<string, unknown>>
}

export interface Credential {
  /** `spt` for a shared payment token. */
  readonly type: string
  readonly token: string
}

/** The issuer's authentication result (3-D Secure), as the buyer's agent sends it. */
export interface Authentication {
  readonly outcome: string
  readonly cryptogram?: string | undefined
  readonly electronicCommerceIndicator?: string | undefined
  readonly transactionId?: string | undefined
  readonly version?: string | undefined
}

export interface ChargeRequest {
  /** The provider's idempotency key: the id of our payment. */
  readonly paymentId: string
  /** When it was first requested: epoch milliseconds. */
  readonly askedAt: number
  readonly sessionId: string
  readonly amountMinor: number
  readonly currency: string
  readonly credential: Credential | null
  readonly authentication: Authentication | null
  /** It may be a retry: a refusal of our credentials then says nothing about the first attempt. */
  readonly isAgain: boolean
  /** The provider's reference of the charge that this authentication continues. */
  readonly continues: string | null
}

export interface RecallRequest extends Pick<ChargeRequest, 'paymentId' | 'askedAt'> {
  readonly reference: string | null
}

export type ChargeOutcome =
  | { readonly status: 'succeeded'; readonly reference: string }
  | { readonly status: 'declined'; readonly reference: string | null; readonly code: string }
  | {
      readonly status: 'requires_action'
      readonly reference: string
      /** Where the buyer can authenticate, if the provider has a page for it. */
      readonly continueUrl: string | null
      /** The protocol's `authentication_metadata`, if the provider sends it. */
      readonly metadata: Readonly<Record<string, unknown>> | null
    }

/** A charge that no longer waits for the buyer. */
type EndedCharge = Exclude<ChargeOutcome, { readonly status: 'requires_action' }>

export interface RefundRequest {
  /** The provider's idempotency key: the id of our refund. */
  readonly refundId: string
  readonly chargeReference: string
  readonly amountMinor: number
  readonly currency: string
  /** It may be a retry: a refusal of our credentials then says nothing about the first attempt. */
  readonly isAgain: boolean
  /** So old that the provider may have forgotten the key: the refund is looked for first. */
  readonly isForgotten: boolean
  /** The provider's reference of a refund that it has accepted, which is looked up, not repeated. */
  readonly reference: string | null
}

export type RefundOutcome =
  | EndedCharge
  /** The provider has accepted it; the outcome is not known yet. */
  | { readonly status: 'pending'; readonly reference: string }

export type PaymentEvent = ChargeEvent | RefundEvent

/** A charge ended; its response may have been lost. */
export interface ChargeEvent {
  readonly kind: 'charge'
  readonly paymentId: string | null
  readonly outcome: EndedCharge
}

/** A refund changed its status. */
export interface RefundEvent {
  readonly kind: 'refund'
  readonly refundId: string | null
  readonly outcome: RefundOutcome
}

/** The outcome is unknown, because the provider did not answer clearly: retry with the same key. */
export class PaymentInDoubt extends Error {
  override readonly name = 'PaymentInDoubt'
}

/** An event without a valid signature. */
export class BadProviderEvent extends Error {
  override readonly name = 'BadProviderEvent'
}

const refusals: ReadonlySet<string> = new Set(['denied', 'rejected', 'canceled', 'abandoned'])

/**
 * True when the issuer or the buyer refused (protocol: AuthenticationResult). Then nothing is
 * charged, even if no charge was waiting for the authentication.
 */
export function isAuthenticationRefused(authentication: Authentication | null): boolean {
  return authentication !== null && refusals.has(authentication.outcome)
}

const docs = 'https://agenticcommerce.dev'

/** What the payment handlers have in common. */
export const tokenizedCard = {
  name: 'dev.acp.tokenized.card',
  version: '2026-01-22',
  spec: `${docs}/handlers/tokenized.card`,
  requires_pci_compliance: false,
  config_schema: `${docs}/schemas/handlers/tokenized.card/config.json`,
  instrument_schemas: [`${docs}/schemas/handlers/tokenized.card/instrument.json`],
}
