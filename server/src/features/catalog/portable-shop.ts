import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { readCommerceSettings, type CommerceSettings } from './commerce-settings.ts'
import type { ProductPatch } from './product-fields.ts'
import { openPlan } from './product-plan.ts'
import { productFromRow } from './product.ts'
import { storePlan } from './store-plan.ts'
import {
  findSettings,
  listProductRows,
  saveSettings,
  type ProductRow,
  type Shelf,
} from './store.ts'

type PortableProduct = Required<ProductPatch>

/** An agent's products and commerce settings, in a form that can be added to another agent. */
export interface PortableShop {
  /** Null for an agent that never changed them. */
  readonly settings: CommerceSettings | null
  readonly products: readonly PortableProduct[]
}

/** One unit can store this many products without delaying other writes for long. */
export const maxPortableProducts = 5000

/** Products that are read at once. */
const pageRows = 200
const everyProduct = { onSale: false, terms: [], among: null } as const

/**
 * Products in order of creation, at most one more than the limit. The caller must have found the
 * agent in the workspace.
 */
export async function readPortableShop(reader: Reader, shelf: Shelf): Promise<PortableShop> {
  const json = await findSettings(reader, shelf)
  const slice = new CpuSlice()
  const products: PortableProduct[] = []
  let page: readonly ProductRow[] = []
  do {
    const before = page.at(-1)?.id
    page = await listProductRows(reader, { ...shelf, ...everyProduct }, { limit: pageRows, before })
    products.push(...page.map(portable))
    if (slice.isOver) await slice.next()
  } while (page.length === pageRows && products.length <= maxPortableProducts)
  return {
    settings: json === undefined ? null : readCommerceSettings(json),
    products: products.toReversed(),
  }
}

function portable(row: ProductRow): PortableProduct {
  const product = productFromRow(row)
  return {
    name: product.name,
    description: product.description,
    sku: product.sku,
    price_amount: product.priceMinor,
    currency: product.currency,
    images: [...product.images],
    categories: [...product.categories],
    stock: product.stock,
    fulfillment_type: product.fulfillmentType,
    tax_code: product.taxCode,
    active: product.active,
  }
}

/** A step: adds the shop to an agent that sells nothing yet. @throws Fault sku_taken */
export async function addPortableShop(
  tx: Tx,
  { clock, db }: Pick<Context, 'clock' | 'db'>,
  shelf: Shelf,
  { settings, products }: PortableShop,
): Promise<void> {
  const now = clock.now()
  if (settings !== null) await saveSettings(tx, now, shelf, JSON.stringify(settings))
  const plan = await openPlan(tx, db.engine, now, shelf, products)
  for (const product of products) plan.put(product)
  await storePlan(tx, db, plan)
}
