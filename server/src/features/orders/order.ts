import type { CommerceSettings } from '#features/catalog/index.ts'
import type {
  Address,
  Buyer,
  DeliveryType,
  FulfillmentDetails,
  QuoteTotals,
} from '#features/pricing/index.ts'
import { camelKeys, snakeKeys, type CamelKeys } from '#kernel/key-case.ts'
import type { OrderRow } from './order-store.ts'

export const orderStatuses = [
  'confirmed',
  'processing',
  'shipped',
  'completed',
  'canceled',
] as const
export type OrderStatus = (typeof orderStatuses)[number]

/** A paid checkout. */
export interface Order
  extends
    OrderDocument,
    Omit<CamelKeys<OrderRow>, 'documentJson' | 'isTest' | 'status' | 'totalAmount'> {
  readonly status: OrderStatus
  /** True if no money moved. */
  readonly isTest: boolean
}

/** Stored as `document_json`. */
interface OrderDocument {
  readonly buyer: Buyer | null
  readonly recipient: FulfillmentDetails | null
  readonly lines: readonly OrderLine[]
  readonly totals: QuoteTotals
  readonly deliveries: readonly Delivery[]
  readonly fulfillments: readonly Fulfillment[]
  readonly refunds: readonly OrderRefund[]
  readonly notes: string | null
  /** The shop's support contact at the time of the order. */
  readonly support: CommerceSettings['support']
}

export interface OrderLine {
  readonly id: string
  readonly productId: string
  readonly title: string
  readonly description: string
  readonly imageUrl: string | null
  readonly unitAmount: number
  readonly quantity: number
  readonly subtotal: number
  /** Null if the item needs no delivery. */
  readonly delivery: DeliveryType | null
  /** How many have been sent or handed over. */
  readonly fulfilled: number
}

/** The delivery that the buyer selected for the items of a type. */
export interface Delivery {
  readonly type: DeliveryType
  readonly title: string
  readonly carrier: string | null
  readonly earliest: number | null
  readonly latest: number | null
}

export interface Fulfillment {
  readonly id: string
  readonly type: DeliveryType
  readonly lines: readonly { readonly id: string; readonly quantity: number }[]
  readonly carrier: string | null
  readonly trackingNumber: string | null
  readonly trackingUrl: string | null
  readonly destination: Address | null
  readonly accessUrl: string | null
  readonly licenseKey: string | null
  readonly description: string | null
  readonly at: number
}

export interface OrderRefund {
  /** The id of the payment row of the refund. */
  readonly id: string
  readonly amountMinor: number
  readonly status: 'pending' | 'completed' | 'failed'
  readonly reason: string | null
  readonly at: number
  /** True for the refund of a canceled order, whose stock was returned with it. */
  readonly ofCancellation?: boolean | undefined
}

export function orderFromRow(stored: OrderRow): Order {
  const { document_json, is_test, total_amount: _, ...row } = stored
  const status = orderStatuses.find((known) => known === row.status)
  if (status === undefined) throw new Error(`Unknown order status in the database: ${row.status}`)
  return {
    // Only orderRow writes it.
    ...(JSON.parse(document_json) as OrderDocument),
    ...camelKeys(row),
    status,
    isTest: is_test === 1,
  }
}

export function orderRow(order: Order): OrderRow {
  const { id, workspaceId, agentId, sessionId, number, status, currency, ...rest } = order
  const { isTest, receiptKey, createdAt, updatedAt, ...document } = rest
  const ids = { id, workspaceId, agentId, sessionId, receiptKey }
  return {
    ...snakeKeys({ ...ids, number, status, currency, createdAt, updatedAt }),
    is_test: Number(isTest),
    total_amount: order.totals.total,
    document_json: JSON.stringify(document),
  }
}

/** The completed and pending refunds of an order. */
export function refundedMinor({ refunds }: Pick<Order, 'refunds'>): number {
  const counted = refunds.filter(({ status }) => status !== 'failed')
  return counted.reduce((total, { amountMinor }) => total + amountMinor, 0)
}

/** The status of an order according to its fulfillments; a canceled order stays canceled. */
export function progressOf({ status, lines }: Pick<Order, 'status' | 'lines'>): OrderStatus {
  if (status === 'canceled') return status
  const due = lines.filter(({ delivery }) => delivery !== null)
  if (due.every(({ fulfilled, quantity }) => fulfilled >= quantity))
    return due.some(({ delivery }) => delivery === 'shipping') ? 'shipped' : 'completed'
  return due.some(({ fulfilled }) => fulfilled > 0) ? 'processing' : 'confirmed'
}
