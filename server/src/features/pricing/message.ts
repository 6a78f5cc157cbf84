/** A message for the buyer, with the protocol's codes; surfaces add the wording. */
export interface Message {
  readonly type: 'error' | 'warning' | 'info'
  readonly code: MessageCode
  /** The field that it concerns: a JSONPath into the session. */
  readonly param?: string
  readonly facts?: Readonly<Record<string, string | number>>
}

export type MessageCode =
  | 'buyer_missing'
  | 'address_missing'
  | 'option_missing'
  | 'region_restricted'
  | 'no_pickup_location'
  | 'out_of_stock'
  | 'quantity_exceeded'
  | 'product_gone'
  | 'currency_changed'
  | 'low_stock'
  | 'price_change'
  | 'total_change'
  | 'payment_declined'
  | 'authentication_asked'
  | 'payment_returned'
  | 'canceled'
  | DiscountRefusal

/** The values of the protocol's DiscountErrorCode that can occur here. */
export type DiscountRefusal =
  | 'discount_code_expired'
  | 'discount_code_invalid'
  | 'discount_code_already_applied'
  | 'discount_code_combination_disallowed'
  | 'discount_code_minimum_not_met'
