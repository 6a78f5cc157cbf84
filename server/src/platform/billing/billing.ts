import type { Plan } from '#kernel/plan.ts'

/** What somebody may buy on a page of the provider. */
export type Item =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'credits'; readonly credits: number }

export interface CheckoutRequest {
  /** The provider's idempotency key, and what its events name: the id of our checkout. */
  readonly checkoutId: string
  readonly workspaceId: string
  readonly item: Item
  /** Who pays, once the provider knows them. */
  readonly customerId: string | null
  readonly email: string
  readonly successUrl: string
  readonly cancelUrl: string
}

/** A subscription as it stands at the provider, whatever its events said in which order. */
export interface SubscriptionState {
  readonly id: string
  readonly customerId: string
  /** As it was bought; null for one that was made at the provider. */
  readonly workspaceId: string | null
  /** The provider's own word. */
  readonly status: string
  /** True while it is to be served: paid, on trial, or late within the provider's patience. */
  readonly isLive: boolean
  /** Null for a price that is not among those of our plans. */
  readonly plan: Plan | null
  readonly periodStartsAt: number | null
  readonly periodEndsAt: number | null
  /** When it ends; null while it goes on. */
  readonly cancelsAt: number | null
}

/** Money of a payment that was given back. */
export interface Refund {
  readonly id: string
  readonly amountMinor: number
  /** What was paid, of which it is a part. */
  readonly paidMinor: number
  /** True where it did not come about: the money has stayed, or has come back. */
  readonly isOff: boolean
}

/** Something at the provider changed: how it stands now. */
export interface BillingEvent {
  readonly id: string
  readonly type: string
  readonly checkout: {
    readonly id: string
    readonly customerId: string | null
    readonly isPaid: boolean
  } | null
  readonly subscription: SubscriptionState | null
  /** Of what was paid in the checkout: all that there are. */
  readonly refunds: readonly Refund[]
}

/** Who takes the money for plans and credits. */
export interface Billing {
  readonly provider: string
  /** What is sold. */
  readonly plans: readonly Plan[]
  /** Packs, by the credits in them. */
  readonly packs: readonly number[]
  /** @throws BillingUnavailable */
  startCheckout(request: CheckoutRequest): Promise<{ readonly id: string; readonly url: string }>
  /**
   * Closes the page of a checkout, so that nobody buys there any more.
   *
   * @param id the provider's
   * @returns the subscription that was bought there before; null when there is none
   * @throws BillingUnavailable
   */
  closeCheckout(id: string): Promise<SubscriptionState | null>
  /** @throws BillingUnavailable */
  openPortal(customerId: string, returnUrl: string): Promise<string>
  /** @throws BillingUnavailable */
  findSubscription(id: string): Promise<SubscriptionState | null>
  /** Ends it now; one that has ended stays so. @throws BillingUnavailable */
  cancelSubscription(id: string): Promise<void>
  /**
   * Reads what the provider sends.
   *
   * @param wasSeen whether an event was dealt with: then nothing more is asked about it
   * @returns null for what is nothing to us
   * @throws BadBillingEvent when the signature does not hold; BillingUnavailable
   */
  readEvent(
    body: string,
    signature: string | undefined,
    wasSeen: (eventId: string) => Promise<boolean>,
  ): Promise<BillingEvent | null>
}

/** The provider did not answer, or not with what was asked. */
export class BillingUnavailable extends Error {
  override readonly name = 'BillingUnavailable'
}

export class BadBillingEvent extends Error {
  override readonly name = 'BadBillingEvent'
}
