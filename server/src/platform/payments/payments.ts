/** Moves buyers' money. One provider for the whole service; `test` moves none. */
export interface Payments {
  readonly provider: 'test' | 'stripe'
  /** True when what it says of success is pretence: its orders are marked as test orders. */
  readonly isTest: boolean
  /** True when a charge without a credential of the buyer is refused. */
  readonly needsCredential: boolean
  /** What a shopping agent may pay with: the handlers of the protocol's `capabilities.payment`. */
  readonly handlers: readonly PaymentHandler[]
  /**
   * Charges the buyer. Asking again with the same key gives the same outcome and never a second
   * charge, also after this process died.
   *
   * @throws PaymentInDoubt when it is unknown whether the charge was made
   */
  charge(request: ChargeRequest): Promise<ChargeOutcome>
  /**
   * What became of a charge that was asked for long ago, when the provider may have forgotten the
   * key: `declined` when there is no trace of it.
   *
   * @throws PaymentInDoubt
   */
  recall(request: RecallRequest): Promise<ChargeOutcome>
  /**
   * Gives up a charge that waits for the buyer.
   *
   * @returns `succeeded` when the money has moved meanwhile
   * @throws PaymentInDoubt
   */
  void(reference: string): Promise<'voided' | 'succeeded'>
  /**
   * Gives money back, or asks what became of it. A refund that is `pending` may take days, and one
   * that has succeeded may still fail.
   *
   * @throws PaymentInDoubt
   */
  refund(request: RefundRequest): Promise<RefundOutcome>
  /**
   * Reads what the provider calls about; null for what does not concern a payment.
   *
   * @throws BadPaymentEvent when the signature does not hold
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

/** What the buyer's agent brought back from the issuer (3-D Secure). */
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
  /** When it was first asked for: epoch milliseconds. */
  readonly askedAt: number
  readonly sessionId: string
  readonly amountMinor: number
  readonly currency: string
  readonly credential: Credential | null
  readonly authentication: Authentication | null
  /** It may have been asked for before: a refusal of our credentials says nothing of the money. */
  readonly isAgain: boolean
  /** The provider's reference of the charge that this authentication continues. */
  readonly continues: string | null
}

export interface RecallRequest {
  readonly paymentId: string
  /** When the charge was first asked for: epoch milliseconds. */
  readonly askedAt: number
  readonly reference: string | null
}

export type ChargeOutcome =
  | { readonly status: 'succeeded'; readonly reference: string }
  | { readonly status: 'declined'; readonly reference: string | null; readonly code: string }
  | {
      readonly status: 'requires_action'
      readonly reference: string
      /** Where the buyer can authenticate, when the provider has a page for it. */
      readonly continueUrl: string | null
      /** The protocol's `authentication_metadata`, when the provider tells it. */
      readonly metadata: Readonly<Record<string, unknown>> | null
    }

export interface RefundRequest {
  /** The provider's idempotency key: the id of our refund. */
  readonly refundId: string
  readonly chargeReference: string
  readonly amountMinor: number
  readonly currency: string
  /** It may have been asked for before: a refusal of our credentials says nothing of the money. */
  readonly isAgain: boolean
  /** Asked for so long ago that the provider may have forgotten the key: it is looked for first. */
  readonly isForgotten: boolean
  /** The provider's reference of a refund that it has taken on: it is looked up, never asked for. */
  readonly reference: string | null
}

export type RefundOutcome =
  | { readonly status: 'succeeded'; readonly reference: string }
  /** The provider has taken it on and does not know its end yet. */
  | { readonly status: 'pending'; readonly reference: string }
  | { readonly status: 'declined'; readonly reference: string | null; readonly code: string }

/** What the provider calls about. */
export type PaymentEvent = ChargeEvent | RefundEvent

/** A charge reached an end that we may not have been told. */
export interface ChargeEvent {
  readonly kind: 'charge'
  readonly paymentId: string | null
  readonly outcome: Exclude<ChargeOutcome, { readonly status: 'requires_action' }>
}

/** How a refund stands. */
export interface RefundEvent {
  readonly kind: 'refund'
  readonly refundId: string | null
  readonly outcome: RefundOutcome
}

/** The provider did not answer, or not so that the outcome is known: ask again with the same key. */
export class PaymentInDoubt extends Error {
  override readonly name = 'PaymentInDoubt'
}

export class BadPaymentEvent extends Error {
  override readonly name = 'BadPaymentEvent'
}
