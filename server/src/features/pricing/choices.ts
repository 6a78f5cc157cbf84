import type { FulfillmentType } from '#features/catalog/index.ts'
import type { Buyer, FulfillmentDetails } from './buyer.ts'
import type { Message } from './message.ts'

export interface CartItem {
  readonly productId: string
  readonly quantity: number
}

/** Which way of delivery was chosen for the items of one type. */
export interface Selection {
  readonly type: DeliveryType
  readonly optionId: string
}

/** Ways of delivery that an option stands for; `none` needs no delivery. */
export type DeliveryType = Exclude<FulfillmentType, 'none'>

/** What the buyer decided so far, and what the last event left to say. Stored as `choices_json`. */
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
  /** What the last payment or cancellation has to say; the next change clears it. */
  readonly notices: readonly Message[]
  /** How the buyer can authenticate, while the session waits for it. */
  readonly authentication: {
    readonly continueUrl: string | null
    readonly metadata: Readonly<Record<string, unknown>> | null
  } | null
}

/** A change of the session: what is left out stays, null clears. */
export interface ChoicesPatch {
  readonly items?: readonly CartItem[]
  readonly buyer?: Buyer | null
  readonly fulfillmentDetails?: FulfillmentDetails | null
  readonly selections?: readonly OptionChoice[] | null
  readonly discountCodes?: readonly string[] | null
  readonly locale?: string | null
  readonly timezone?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly orderNotes?: string | null
}

/** An option as a request names it: older shapes leave the type out. */
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

/** The address of a parcel, where the buyer gave one. */
export function shippingAddress({ fulfillmentDetails }: Choices) {
  return fulfillmentDetails?.address ?? null
}

/** The buyer is known by an e-mail address, in whichever place it was given. */
export function buyerEmail({ buyer, fulfillmentDetails }: Choices): string | null {
  return buyer?.email ?? fulfillmentDetails?.email ?? null
}
