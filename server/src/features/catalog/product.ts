import { camelKeys, type CamelKeys } from '#kernel/key-case.ts'
import type { ProductRow } from './store.ts'

export const fulfillmentTypes = ['digital', 'shipping', 'pickup', 'none'] as const
export type FulfillmentType = (typeof fulfillmentTypes)[number]

export interface Product extends Omit<
  CamelKeys<ProductRow>,
  'workspaceId' | 'deletedAt' | 'priceAmount' | 'imagesJson' | 'categoriesJson' | 'active'
> {
  readonly priceMinor: number
  readonly images: readonly string[]
  readonly categories: readonly string[]
  readonly active: boolean
}

export type Availability = 'in_stock' | 'low_stock' | 'out_of_stock'

/** With this many or fewer left, buyers see that stock is low. */
const fewLeft = 5

export function availabilityOf(stock: number | null): Availability {
  if (stock === null || stock > fewLeft) return 'in_stock'
  return stock > 0 ? 'low_stock' : 'out_of_stock'
}

export function productFromRow(row: ProductRow): Product {
  const { workspace_id: _workspace, deleted_at: _deleted, price_amount, ...rest } = row
  const { images_json, categories_json, active, ...same } = rest
  return {
    ...camelKeys(same),
    priceMinor: price_amount,
    // Only putProduct writes both.
    images: JSON.parse(images_json) as string[],
    categories: JSON.parse(categories_json) as string[],
    active: active === 1,
  }
}
