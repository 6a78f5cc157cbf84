import type { ProductRow } from './store.ts'

export const fulfillmentTypes = ['digital', 'shipping', 'pickup', 'none'] as const
export type FulfillmentType = (typeof fulfillmentTypes)[number]

export interface Product {
  readonly id: string
  readonly agentId: string
  readonly name: string
  readonly description: string
  readonly sku: string | null
  readonly priceMinor: number
  readonly currency: string
  readonly images: readonly string[]
  readonly categories: readonly string[]
  /** Null is not counted. */
  readonly stock: number | null
  readonly fulfillmentType: FulfillmentType
  readonly taxCode: string | null
  readonly active: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

export type Availability = 'in_stock' | 'low_stock' | 'out_of_stock'

/** With this many or fewer left, buyers are told that there are few. */
const fewLeft = 5

export function availabilityOf(stock: number | null): Availability {
  if (stock === null || stock > fewLeft) return 'in_stock'
  return stock > 0 ? 'low_stock' : 'out_of_stock'
}

export function productFromRow(row: ProductRow): Product {
  return {
    id: row.id,
    agentId: row.agent_id,
    name: row.name,
    description: row.description,
    sku: row.sku,
    priceMinor: row.price_amount,
    currency: row.currency,
    // Written by putProduct alone.
    images: JSON.parse(row.images_json) as string[],
    categories: JSON.parse(row.categories_json) as string[],
    stock: row.stock,
    fulfillmentType: row.fulfillment_type,
    taxCode: row.tax_code,
    active: row.active === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
