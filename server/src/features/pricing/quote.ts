import type {
  Availability,
  CommerceSettings,
  DiscountCode,
  FulfillmentType,
} from '#features/catalog/index.ts'
import type { Address } from './buyer.ts'
import type { DeliveryType, Selection } from './choices.ts'
import type { DiscountRefusal, Message } from './message.ts'

/** The current price of a cart. Stored as `quote_json`; every amount is in minor units. */
export interface Quote {
  readonly lines: readonly QuoteLine[]
  readonly options: readonly FulfillmentOption[]
  /** One for each delivery type, selected by the buyer or because it is the only one. */
  readonly selections: readonly Selection[]
  readonly discounts: {
    readonly codes: readonly string[]
    readonly applied: readonly AppliedDiscount[]
    readonly rejected: readonly RejectedDiscount[]
  }
  readonly totals: QuoteTotals
  readonly messages: readonly Message[]
  /**
   * The terms that the buyer saw with these prices, so that a repeated answer is the same. Absent
   * in quotes stored by older versions.
   */
  readonly links?: CommerceSettings['links'] | undefined
}

export interface QuoteLine {
  readonly id: string
  readonly productId: string
  readonly name: string
  readonly description: string
  readonly sku: string | null
  readonly images: readonly string[]
  readonly category: string | null
  readonly fulfillmentType: FulfillmentType
  readonly taxCode: string | null
  readonly unitAmount: number
  readonly quantity: number
  readonly availability: Availability
  /** Null where stock is not counted. */
  readonly available: number | null
  /** unitAmount × quantity. */
  readonly base: number
  readonly discount: number
  /** base − discount. */
  readonly subtotal: number
  readonly tax: number
  /** subtotal + tax, or the subtotal alone where prices include it. */
  readonly total: number
}

export interface FulfillmentOption {
  readonly type: DeliveryType
  readonly id: string
  readonly title: string
  readonly description: string
  readonly amount: number
  readonly carrier: string | null
  /** Epoch milliseconds. */
  readonly earliest: number | null
  readonly latest: number | null
  readonly location: {
    readonly name: string
    readonly address: Address
    readonly phone?: string | undefined
    readonly instructions?: string | undefined
  } | null
}

export interface AppliedDiscount {
  readonly discount: DiscountCode
  readonly code: string
  readonly amount: number
  /** The share of each line, in their order. */
  readonly allocations: readonly number[]
}

export interface RejectedDiscount {
  readonly code: string
  readonly reason: DiscountRefusal
}

export interface QuoteTotals {
  readonly itemsBase: number
  readonly itemsDiscount: number
  readonly subtotal: number
  /** Null if no delivery option is selected. */
  readonly fulfillment: number | null
  readonly tax: number
  readonly taxIncluded: boolean
  readonly taxBreakdown: readonly TaxShare[]
  readonly total: number
}

export interface TaxShare {
  readonly name: string
  readonly percent: number
  readonly amount: number
}

/** Prefix and product id: the same in every session, and different from the product's own id. */
export function lineId(productId: string): string {
  return `li_${productId}`
}

/** True if nothing is missing: only then can the cart be paid. */
export function isReady({ messages }: Quote): boolean {
  return messages.every(({ type }) => type !== 'error')
}
