import type { FulfillmentType } from '#features/catalog/index.ts'
import type { Buyer, FulfillmentDetails } from './buyer.ts'
import type { Message } from './message.ts'

export interface CartItem {
  readonly productId: string
  readonly quantity: number
}

/** The selected delivery option for the items of one type. */
export interface Selection {
  readonly type: DeliveryType
  readonly optionId: string
}

/** The delivery types of options; `none` needs no delivery. */
export type DeliveryType = Exclude<FulfillmentType, 'none'>

/** The buyer's decisions so far, and the notices of the last event. Stored as `choices_json`. */
export interface Choices {
  readonly items: readonly CartItem[]
  readonly buyer: Buyer | null
  readonly fulfillmentDetails: FulfillmentDetails | null
  readonly selections: readonly Selection[]
  readonly discountCodes: readonly string[]
  readonly locale: string | null
  readonly timezone: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly orderNotes: string | null
  /** Notices of the last payment or cancellation; the next change clears them. */
  readonly notices: readonly Message[]
  /** How the buyer can authenticate, while the session waits for it. */
  readonly authentication: {
    readonly continueUrl: string | null
    readonly metadata: Readonly<Record<string, unknown>> | null
  } | null
}

/** A change of the session: omitted fields stay, null clears a field. */
export interface ChoicesPatch extends Partial<
  Omit<Choices, 'selections' | 'discountCodes' | 'notices' | 'authentication'>
> {
  readonly selections?: readonly OptionChoice[] | null
  readonly discountCodes?: readonly string[] | null
}

/** An option as a request names it: older request formats omit the type. */
export interface OptionChoice {
  readonly type?: DeliveryType | undefined
  readonly optionId: string
  /** Where in the request, as a JSONPath. */
  readonly param: string
}

/** The same product twice is one line with both quantities. */
export function mergeItems(items: readonly CartItem[]): CartItem[] {
  const quantities = new Map<string, number>()
  for (const { productId, quantity } of items)
    quantities.set(productId, (quantities.get(productId) ?? 0) + quantity)
  return [...quantities].map(([productId, quantity]) => ({ productId, quantity }))
}

/** The delivery address, if the buyer gave one. */
export function shippingAddress({ fulfillmentDetails }: Choices) {
  return fulfillmentDetails?.address ?? null
}

/** The buyer's e-mail address, wherever the request gave it. */
export function buyerEmail({ buyer, fulfillmentDetails }: Choices): string | null {
  return buyer?.email ?? fulfillmentDetails?.email ?? null
}
