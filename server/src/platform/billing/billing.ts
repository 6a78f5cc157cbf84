import type { Plan } from '#kernel/plan.ts'

/** What a workspace can buy on the provider's page. */
export type Item =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'credits'; readonly credits: number }

export interface CheckoutRequest {
  /** The id of our checkout: the provider's idempotency key, and the reference in its events. */
  readonly checkoutId: string
  readonly workspaceId: string
  readonly item: Item
  /** The provider's id of the payer, if it has one. */
  readonly customerId: string | null
  readonly email: string
  readonly successUrl: string
  readonly cancelUrl: string
}

/** A subscription's present state at the provider, independent of the order of its events. */
export interface SubscriptionState {
  readonly id: string
  readonly customerId: string
  /** The workspace that bought it; null when it was created at the provider. */
  readonly workspaceId: string | null
  /** In the provider's words. */
  readonly status: string
  /** True while it is paid, on trial, or late and the provider still retries the payment. */
  readonly isLive: boolean
  /** Null when its price belongs to none of our plans. */
  readonly plan: Plan | null
  readonly periodStartsAt: number | null
  readonly periodEndsAt: number | null
  /** When it ends; null while it continues. */
  readonly cancelsAt: number | null
}

/** A refund of a payment. */
export interface Refund {
  readonly id: string
  readonly amountMinor: number
  /** The amount of the payment. */
  readonly paidMinor: number
  /** True when the refund failed or was canceled. */
  readonly isOff: boolean
}

/** A change at the provider, with the present state of what changed. */
export interface BillingEvent {
  readonly id: string
  readonly type: string
  readonly checkout: {
    readonly id: string
    readonly customerId: string | null
    readonly isPaid: boolean
  } | null
  readonly subscription: SubscriptionState | null
  /** All refunds of the checkout's payment. */
  readonly refunds: readonly Refund[]
}

/** Sells plans and credits. */
export interface Billing {
  readonly provider: string
  readonly plans: readonly Plan[]
  /** The packs on sale, as numbers of credits. */
  readonly packs: readonly number[]
  /** @throws BillingUnavailable */
  startCheckout(request: CheckoutRequest): Promise<{ readonly id: string; readonly url: string }>
  /**
   * Closes a checkout's page, so that it can no longer be used.
   *
   * @param id the provider's
   * @returns the subscription that was already bought there; null when there is none
   * @throws BillingUnavailable
   */
  closeCheckout(id: string): Promise<SubscriptionState | null>
  /** @throws BillingUnavailable */
  openPortal(customerId: string, returnUrl: string): Promise<string>
  /** @throws BillingUnavailable */
  findSubscription(id: string): Promise<SubscriptionState | null>
  /** Ends it now; does nothing if it has already ended. @throws BillingUnavailable */
  cancelSubscription(id: string): Promise<void>
  /**
   * Reads an event of the provider.
   *
   * @param wasSeen whether an event was already handled: it is then not looked up again
   * @returns null for an event that does not concern us
   * @throws BadProviderEvent when the signature is invalid; BillingUnavailable
   */
  readEvent(
    body: string,
    signature: string | undefined,
    wasSeen: (eventId: string) => Promise<boolean>,
  ): Promise<BillingEvent | null>
}

/** The provider did not answer, or refused. */
export class BillingUnavailable extends Error {
  override readonly name = 'BillingUnavailable'
}
